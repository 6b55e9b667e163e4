/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of report.html. Each section is a file of its own with an object {id, title, draw(element, data, view)}; a new
 * section is a new file and a line here. A comparison of runs has sections of its own (diff.js). What a section has nothing to show of, it says by returning false.
 */
import { read } from './data.js';
import { DIFF_SECTIONS, diffTitle, readDiff } from './diff.js';
import { makeView } from './view.js';
import { make } from './dom.js';
import head from './head.js';
import parallelism from './parallelism.js';
import timeline from './timeline.js';
import constructs from './constructs.js';
import waits from './waits.js';
import grain from './grain.js';
import flame from './flame.js';
import graph from './graph.js';
import whatif from './whatif.js';

const SECTIONS = [head, parallelism, timeline, constructs, waits, flame, graph, grain, whatif];

function theme() {
	const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)');
	const set = isDark => { root.dataset.theme = isDark ? 'dark' : 'light'; };
	set(dark.matches);
	/* On paper it is light, and as wide as paper: before the other listeners draw. */
	let before = null;
	addEventListener('beforeprint', () => {
		before ??= root.dataset.theme;
		set(false);
		root.dataset.printing = '';
	});
	addEventListener('afterprint', () => {
		root.dataset.theme = before ?? root.dataset.theme;
		before = null;
		delete root.dataset.printing;
		document.dispatchEvent(new Event('otter-redraw'));
	});
	document.getElementById('theme').addEventListener('click', () => {
		set(root.dataset.theme !== 'dark');
		document.dispatchEvent(new Event('otter-redraw'));
	});
}

async function start() {
	theme();
	const diff = readDiff(), data = diff ?? await read(), view = diff ? null : makeView(data), main = document.getElementById('main'), contents = document.getElementById('contents');
	document.title = diff ? diffTitle(diff) : data.title;
	document.getElementById('title').textContent = document.title;
	for (const section of diff ? DIFF_SECTIONS : SECTIONS) {
		const element = make('section', { id: section.id, 'aria-labelledby': section.id + '-title' }, [make('h2', { id: section.id + '-title', text: section.title })]);
		main.append(element);
		if (section.draw(element, data, view) === false)
			element.remove();
		else
			contents.append(make('a', { href: '#' + section.id, text: section.title }));
	}
	globalThis.otterReport = { data, view }; // for whoever asks by the browser's console
	document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start().catch(error => {
	document.getElementById('main').append(make('p', { class: 'alarm', text: 'This page could not be drawn: ' + error.message }));
	console.error(error);
});
