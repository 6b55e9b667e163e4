/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of diff.html: what differs between two runs, or sets of runs, and how work grows with the number of threads. Its data
 * are those of diff.json (docs/analyses.md), and its rules of what has changed are the builder's. main.js draws it in place of the
 * sections of a run.
 */
import { chart, legend } from './chart.js';
import { gain, make, makeSvg, percent, time } from './dom.js';

const SHOWN = 200;
const FIGURES = { own_ns: 'executed', blamed_ns: 'blamed for', wait_ns: 'waiting', count: 'count' };
const MATCHES = { new: 'new', gone: 'gone', moved: 'moved', same: '' };

const letter = i => String.fromCharCode(65 + i % 26);
const signed = share => (share > 0 ? '+' : '') + (100 * share).toFixed(1) + ' %';
const nameOf = place => place === null ? 'none' : place.label || place.kind;
const plural = (n, word) => n + ' ' + word + (n === 1 ? '' : 's');

/* Of a figure how much it changed, as a share of A. */
function share(change) {
	return change.a.median > 0 ? change.difference / change.a.median : change.b.median > 0 ? Infinity : 0;
}

function changeText(change) {
	const of = share(change);
	const around = change.interval && change.a.median > 0 ? ' (' + change.interval.map(edge => signed(edge / change.a.median)).join(' to ') + ')' : '';
	return of === Infinity ? 'new' : of === 0 ? '0 %' : signed(of) + around;
}

function spread(group, text) {
	return text(group.median) + (group.most > group.least ? ' (' + text(group.least) + ' to ' + text(group.most) + ')' : '');
}

function table(id, heads, rows, label) {
	return make('div', { class: 'scroll' }, [make('table', { id, 'aria-label': label }, [make('thead', {}, [make('tr', {}, heads.map(([text, isNumber]) => make('th', { scope: 'col', class: isNumber ? 'number' : '', text })))]), make('tbody', {}, rows)])]);
}

/* ---- The two sides ---- */

function verdict(two, sides) {
	const { wall_ns: wall } = two, runs = sides.map(side => side.runs.length);
	const said = wall.slower ? 'B is slower' : wall.faster ? 'B is faster' : 'No difference beyond ' + (wall.interval ? 'noise, or ' : '') + percent(wall.threshold);
	const note = !wall.interval ? 'A side has one run: noise is not known, and the threshold of ' + percent(wall.threshold, 1) + ' decides.'
		: wall.chance > 0.05 ? 'With ' + runs.join(' and ') + ' runs, by chance alone ' + percent(wall.chance) + ' of comparisons find a difference.' : '';
	return make('div', { class: 'cards' }, [
		make('div', { class: 'card limit', id: 'diff-verdict', 'data-verdict': wall.slower ? 'slower' : wall.faster ? 'faster' : 'same', 'data-limit': wall.slower ? 'slower' : 'none' }, [
			make('p', { class: 'sentence', text: said + ': ' + changeText(wall) }), make('p', { text: sides.map((side, i) => letter(i) + ' ' + spread(wall[i === 0 ? 'a' : 'b'], time)).join(', ') }),
			...note ? [make('p', { class: 'gain', text: note })] : []]),
		...sides.map((side, i) => make('div', { class: 'card', 'data-side': letter(i) }, [
			make('p', {}, [make('b', { text: letter(i) + ' is limited by ' + side.limit.limit + (side.limit.construct ? ' of ' + side.limit.construct.label : '') })]),
			make('p', { class: 'gain', text: 'Without it ' + gain(side.limit) + (side.limit.runs < side.runs.length ? '; in ' + side.limit.runs + ' of ' + side.runs.length + ' runs' : '') }),
			...i === 1 ? [make('p', { id: 'diff-limit', text: two.limit_changed ? 'This is another limit than that of A.' : 'This is the limit of A as well.' })] : []])),
	]);
}

/* Of both sides a bar each, as long as the figure. */
function bars(change, most) {
	const bar = (y, value, tone) => makeSvg('rect', { x: 0, y, width: Math.max(100 * value / most, value > 0 ? 0.6 : 0), height: 5, style: 'fill:var(--' + tone + ')' });
	return makeSvg('svg', { viewBox: '0 0 100 12', class: 'box', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'A ' + time(change.a.median) + ', B ' + time(change.b.median) }, [bar(0, change.a.median, 'barrier'), bar(6, change.b.median, 'mutex')]);
}

/* Cells of a figure: of A, of B, and how it changed. */
function cells(row, figure, text, most) {
	const change = row[figure], { changed, difference } = change;
	return [make('td', { class: 'number', text: row.a ? spread(change.a, text) : '' }), make('td', { class: 'number', text: row.b ? spread(change.b, text) : '' }),
		make('td', { class: 'number' + (changed ? difference > 0 ? ' more' : ' less' : '') }, [document.createTextNode(changeText(change) + (changed ? difference > 0 ? ' ▲' : ' ▼' : ''))]),
		make('td', {}, [bars(change, most)])];
}

/* The paths of creation of a construct, a row each: who created what creates it, the outermost first. There are only counts and own times of them. */
function pathRows(row, figure, text, most) {
	const isKnown = figure in row.paths[0], left = row.paths_left_out;
	const note = !isKnown ? 'Of paths there are only time that was executed and counts.' : left > 0 ? plural(left, 'path') + ' that differ less are left out.' : '';
	return [...isKnown ? row.paths.map(path => make('tr', { class: 'of-path', 'data-match': path.match, 'data-changed': String(path[figure].changed) }, [
		make('td', { text: (path.b ?? path.a).slice(0, -1).join(' › ') }), make('td', { text: MATCHES[path.match] }), ...cells(path, figure, text, most)])) : [],
	...note ? [make('tr', { class: 'of-path' }, [make('td', { colspan: 6, class: 'note', text: note })])] : []];
}

/* Shows and hides the rows of its paths after the construct's row. */
function pathsButton(row, figure, text, most, open) {
	const button = make('button', { class: 'paths', 'aria-expanded': 'false', text: plural(row.paths.length + row.paths_left_out, 'path') });
	const show = isOpen => {
		const own = button.closest('tr');
		button.setAttribute('aria-expanded', String(isOpen));
		open[isOpen ? 'add' : 'delete'](row);
		while (own.nextElementSibling?.classList.contains('of-path'))
			own.nextElementSibling.remove();
		if (isOpen)
			own.after(...pathRows(row, figure, text, most));
	};
	button.addEventListener('click', () => show(button.getAttribute('aria-expanded') === 'false'));
	return { button, show };
}

function constructs(element, two) {
	const open = new Set(); /* constructs whose paths are shown, whatever is chosen */
	const choose = make('select', { id: 'diff-figure' }, Object.entries(FIGURES).map(([value, text]) => make('option', { value, text })));
	const only = make('input', { type: 'checkbox', id: 'diff-changed', checked: '' }), filter = make('input', { type: 'search', placeholder: 'Filter by name, file or function', 'aria-label': 'Filter constructs' });
	const place = make('div'), count = make('p', { class: 'hint', id: 'diff-shown', role: 'status' });
	const list = () => {
		const figure = choose.value, words = filter.value.toLowerCase().split(/\s+/).filter(Boolean), text = figure === 'count' ? n => String(n) : time;
		const is = row => row[figure].changed || row.match === 'new' || row.match === 'gone' || row.match === 'moved';
		const rows = two.constructs.filter(row => (!only.checked || is(row)) && words.every(word => [row.a, row.b].some(p => p && (p.label + ' ' + p.file + ' ' + p.function).toLowerCase().includes(word))))
			.sort((x, y) => Math.abs(y[figure].difference) - Math.abs(x[figure].difference));
		const most = Math.max(...rows.map(row => Math.max(row[figure].a.median, row[figure].b.median)), 1);
		const shown = rows.slice(0, SHOWN).map(row => ({ row, paths: row.paths?.length > 0 ? pathsButton(row, figure, text, most, open) : null }));
		place.replaceChildren(table('diff-table', [['construct'], ['', false], ['A', true], ['B', true], ['change', true], ['A and B']], shown.map(({ row, paths }) => make('tr', {
			'data-match': row.match, 'data-changed': String(row[figure].changed) }, [
			make('td', {}, [document.createTextNode(nameOf(row.b ?? row.a)), ...paths ? [document.createTextNode(' '), paths.button] : [], ...row.match === 'moved' ? [make('span', { class: 'source', text: 'in A ' + nameOf(row.a) })] : [], ...(row.b ?? row.a).function ? [make('span', { class: 'source', text: (row.b ?? row.a).function })] : []]),
			make('td', { text: MATCHES[row.match] }), ...cells(row, figure, text, most)])), 'Constructs of both sides'));
		for (const { row, paths } of shown)
			if (open.has(row))
				paths.show(true);
		count.textContent = (rows.length > SHOWN ? 'The first ' + SHOWN + ' of ' : '') + plural(rows.length, 'construct') + (only.checked ? ' new, gone, moved or changed' : '') + ' of ' + two.constructs.length + '. A mark stands where a change is larger than noise, or, of single runs, than the threshold.';
	};
	for (const control of [choose, only, filter])
		control.addEventListener('input', list);
	element.append(make('p', { class: 'choices' }, [make('label', {}, [document.createTextNode('Figure '), choose]), make('label', {}, [only, document.createTextNode(' only what differs')]), filter]), place, count);
	list();
}

/* ---- Several numbers of threads ---- */

/* Speedup over threads, beside what so many threads could give, and what is left of that where the same takes more work. */
function curve({ sides, scaling: { base } }) {
	const first = sides[base], xs = [...new Set(sides.map(side => side.threads))].sort((a, b) => a - b);
	const points = y => sides.map((side, i) => ({ x: side.threads, y: y(side), tip: [letter(i) + ' ' + side.name, plural(side.threads, 'thread') + ': ' + y(side).toFixed(2) + ' x'] }))
		.filter(point => point.y > 0 && Number.isFinite(point.y)).sort((a, b) => a.x - b.x);
	const ideal = side => side.threads / first.threads;
	const curves = [{ name: 'measured', tone: 'work', dash: '', points: points(side => first.wall_ns / side.wall_ns) },
		{ name: 'ideal: as many times as there are threads', tone: 'soft', dash: '', points: points(ideal) },
		{ name: 'ideal, less work inflation', tone: 'mutex', dash: '7 4', points: points(side => ideal(side) * first.work_ns / side.work_ns) }];
	return xs.length < 2 ? [] : [chart(curves, { id: 'diff-curve', label: 'Speedup over threads', unit: 'threads', xs }), legend(curves)];
}

function scaling(element, diff) {
	const { sides, scaling: { base, constructs: rows } } = diff, first = sides[base];
	const number = (value, digits = 2) => make('td', { class: 'number', text: Number.isFinite(value) ? value.toFixed(digits) : '' });
	element.append(...curve(diff), table('diff-scaling', [['side'], ['threads', true], ['time', true], ['speedup', true], ['efficiency', true], ['work', true], ['inflation', true], ['limit']], sides.map((side, i) => {
		const speedup = first.wall_ns / side.wall_ns;
		return make('tr', {}, [make('td', { text: letter(i) + ' ' + side.name }), number(side.threads, 0), make('td', { class: 'number', text: time(side.wall_ns) }), number(speedup),
			make('td', { class: 'number', text: percent(speedup * first.threads / side.threads) }), make('td', { class: 'number', text: time(side.work_ns) }), number(side.work_ns / first.work_ns),
			make('td', { text: side.limit.limit + (side.limit.construct ? ' of ' + side.limit.construct.label : '') })]);
	}), 'Time and work by side'), make('h3', { text: 'What was executed, and how it grew' }),
	table('diff-growth', [['construct'], ...sides.map((side, i) => [letter(i) + (i === base ? '' : ' ÷ ' + letter(base)), true])], [...rows].sort((x, y) => Math.max(...y.own_ns) - Math.max(...x.own_ns)).slice(0, SHOWN)
		.map(row => make('tr', {}, [make('td', { text: nameOf(row.construct) }), ...row.own_ns.map((ns, i) => i === base ? make('td', { class: 'number', text: time(ns) }) : ns === null ? make('td', { class: 'number', text: 'gone' }) : number(row.own_ns[base] > 0 ? ns / row.own_ns[base] : NaN))])), 'Executed time of constructs by side'));
}

/* Null: the page is of a run. */
export function readDiff() {
	const script = document.getElementById('otter-diff');
	return script === null ? null : JSON.parse(script.textContent);
}

export function diffTitle(diff) {
	return diff.sides.map(side => side.name.split('/').filter(Boolean).pop() ?? '').join(' and ') + ' — Otter comparison';
}

const sidesSection = {
	id: 'answer', title: 'What differs',
	draw(element, diff) {
		const bad = diff.sides.flatMap(side => side.runs.filter(run => !run.good));
		if (bad.length > 0)
			element.prepend(make('div', { class: 'alarm', role: 'alert' }, [make('p', { text: plural(bad.length, 'run') + ' incomplete, still written, or repaired: ' + bad.map(run => run.path).join(', ') })]));
		element.append(make('dl', { class: 'facts' }, diff.sides.map((side, i) => make('div', {}, [make('dt', { text: letter(i) + ': ' + plural(side.runs.length, 'run') + ' on ' + plural(side.threads, 'thread') + ', ' + time(side.wall_ns) }), make('dd', { text: side.name })]))));
		if (diff.comparison)
			element.append(verdict(diff.comparison, diff.sides));
		return true;
	},
};

const constructsSection = {
	id: 'constructs', title: 'Constructs',
	draw(element, diff) {
		if (!diff.comparison)
			return false;
		constructs(element, diff.comparison);
		return true;
	},
};

const scalingSection = {
	id: 'scaling', title: 'Numbers of threads',
	draw(element, diff) {
		if (!diff.scaling)
			return false;
		scaling(element, diff);
		return true;
	},
};

export const DIFF_SECTIONS = [sidesSection, constructsSection, scalingSection];
