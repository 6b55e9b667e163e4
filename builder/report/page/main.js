/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of report.html. Each section is a file of its own with an object {id, title, about, draw(element, data, view)}, of
 * which `about` says in a sentence what it shows; a new section is a new file and a line here. draw() returns false where the section has nothing to show. A comparison of runs
 * has sections of its own (diff/).
 */
import answer from './answer.js';
import constructs from './constructs/constructs.js';
import { read } from './data.js';
import { DIFF_SECTIONS, diffTitle, readDiff } from './diff/diff.js';
import { byId, make, root } from './dom.js';
import flame from './flame/flame.js';
import grain from './grain.js';
import graph from './graph/graph.js';
import parallelism from './parallelism/parallelism.js';
import { startTheme } from './theme.js';
import timeline from './timeline/timeline.js';
import { View } from './view.js';
import waits from './waits/waits.js';
import whatif from './whatif.js';

const SECTIONS = [answer, parallelism, timeline, constructs, waits, flame, graph, grain, whatif];

async function start() {
	startTheme();
	watchHeader();
	const diff = readDiff();
	const data = diff ?? (await read());
	const view = diff ? null : new View(data);
	document.title = diff ? diffTitle(diff) : data.title;
	byId('title').textContent = document.title;
	for (const section of diff ? DIFF_SECTIONS : SECTIONS) addSection(section, data, view);
	globalThis.otterReport = { data, view }; /* for the browser's console, and tests */
	root.dataset.ready = String(Math.round(performance.now()));
}

/* The header stays at the top, as high as its links need: no heading to which one of them leads is to be below it. */
function watchHeader() {
	const header = document.querySelector('header');
	const tell = () => root.style.setProperty('--header', `${header.offsetHeight}px`);
	new ResizeObserver(tell).observe(header);
	tell();
}

/* Puts a section into the page and its contents, if it has something to show. A title may be made of the data. */
function addSection({ id, title, about, draw }, data, view) {
	const text = typeof title === 'function' ? title(data) : title;
	const heading = make('h2', { id: `${id}-title`, title: about, text });
	const element = make('section', { id, 'aria-labelledby': heading.id }, heading);
	byId('main').append(element);
	if (draw(element, data, view) === false) element.remove();
	else byId('contents').append(make('a', { href: `#${id}`, title: about, text }));
}

start().catch(error => {
	const text = `This page could not be drawn: ${error.message}`;
	byId('main').append(make('p', { class: 'alarm', text }));
	console.error(error);
});
