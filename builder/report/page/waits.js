/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads waited, and for what: as a matrix of the largest, and a row a place, with what was waited for as shares of it.
 */
import { make, percent, redraw, time } from './dom.js';

const SHOWN = 60, CELLS = 10;

/* Of a construct all rows have the same list: what was waited for there, in whatever state. */
function places(waits) {
	const found = new Map();
	for (const wait of waits)
		if (!found.has(wait.key) && wait.for.length > 0)
			found.set(wait.key, { key: wait.key, label: wait.label, process: wait.process, for: wait.for, ns: wait.for.reduce((sum, f) => sum + f.ns, 0) });
	return [...found.values()].sort((a, b) => b.ns - a.ns);
}

/* Who waits in the rows, for whom in the columns; the largest of each. */
function matrix(data, view) {
	const rows = places(data.waits), columns = new Map(), isLong = data.processes.length > 1;
	for (const row of rows)
		for (const f of row.for) {
			const key = row.process + ':' + f.row, column = columns.get(key) ?? { key, label: f.label, process: row.process, ns: 0 };
			column.ns += f.ns;
			columns.set(key, column);
		}
	const across = [...columns.values()].sort((a, b) => b.ns - a.ns), shown = across.slice(0, CELLS), down = rows.slice(0, CELLS);
	if (down.length === 0)
		return null;
	const most = Math.max(...down.flatMap(row => row.for.map(f => f.ns))), name = of => (isLong ? 'p' + of.process + ' ' : '') + (of.label || '(unknown)');
	const head = (of, scope) => {
		const construct = data.constructs.find(c => c.key === of.key);
		return make('th', { scope, 'data-key': of.key }, construct ? [make('button', { type: 'button', text: name(of), onclick: () => view.select(construct) })] : [document.createTextNode(name(of))]);
	};
	const cell = ns => make('td', { class: 'number', style: ns > 0 ? 'background:color-mix(in srgb, var(--mutex) ' + Math.ceil(60 * Math.sqrt(ns / most)) + '%, var(--back))' : '', text: ns > 0 ? time(ns) : '' });
	const hidden = across.length - shown.length;
	return make('div', { class: 'scroll' }, [make('table', { id: 'waits-matrix' }, [
		make('caption', { text: 'Who waits, in the rows, for whom, in the columns: the time of all threads together' + (hidden > 0 || rows.length > down.length ? '; the largest' : '') + '.' }),
		make('thead', {}, [make('tr', {}, [make('td'), ...shown.map(of => head(of, 'col')), ...hidden > 0 ? [make('th', { scope: 'col', text: hidden + ' others' })] : []])]),
		make('tbody', {}, down.map(row => {
			const of = key => row.for.filter(f => row.process + ':' + f.row === key).reduce((sum, f) => sum + f.ns, 0), cells = shown.map(column => of(column.key));
			return make('tr', {}, [head(row, 'row'), ...cells.map(cell), ...hidden > 0 ? [cell(row.ns - cells.reduce((sum, ns) => sum + ns, 0))] : []]);
		})),
	])]);
}

export default {
	id: 'waits', title: 'Who waits for whom',
	draw(element, data, view) {
		if (data.waits.length === 0)
			return false;
		const body = make('tbody'), longest = Math.max(...data.waits.map(w => w.total_ns));
		const list = () => {
			const key = view.construct?.key ?? null;
			table?.querySelectorAll('[data-key]').forEach(head => head.classList.toggle('chosen', head.dataset.key === key));
			const rows = data.waits.filter(w => key === null || w.key === key || w.for.some(f => w.process + ':' + f.row === key));
			body.replaceChildren(...rows.slice(0, SHOWN).map(w => make('tr', {}, [
				make('td', { text: w.label }), make('td', { text: w.state.replaceAll('_', ' ') }), make('td', { class: 'number', text: String(w.count) }),
				make('td', { class: 'number', text: time(w.total_ns) }), make('td', { class: 'number', text: time(w.longest_ns) }),
				make('td', {}, [make('div', { class: 'wait', style: 'width:' + Math.max(100 * w.total_ns / longest, 2) + '%' },
					[...w.for].sort((a, b) => b.ns - a.ns).slice(0, 6).map((f, i) => make('span', { class: 'tone' + i % 6, style: 'flex:' + Math.max(f.ns / w.total_ns, 0.01), title: f.label + ' ' + percent(f.ns / w.total_ns) }))),
				make('span', { class: 'whom', text: [...w.for].sort((a, b) => b.ns - a.ns).slice(0, 3).map(f => (f.label || '(unknown)') + ' ' + percent(Math.min(f.ns / w.total_ns, 1))).join(', ') })]),
			])));
			if (rows.length === 0)
				body.append(make('tr', {}, [make('td', { colspan: '6', text: 'Nobody waits at ' + view.construct.label + ', or for it.' })]));
		};
		const table = matrix(data, view);
		element.append(make('p', { class: 'hint', text: 'Waiting of all threads together, the longest first. A construct that is selected above leaves what waits at it, or for it.' }), table ?? '',
			make('div', { class: 'scroll' }, [make('table', { id: 'waits-table' }, [make('thead', {}, [make('tr', {},
				['waiting at', 'state', 'times', 'total', 'longest', 'for'].map((text, i) => make('th', { scope: 'col', class: i > 1 && i < 5 ? 'number' : '', text })))]), body])]));
		redraw(element, view, list);
		return true;
	},
};
