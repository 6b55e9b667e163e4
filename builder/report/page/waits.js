/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads waited, and for what: a row a place, with what was waited for as shares of it.
 */
import { make, percent, redraw, time } from './dom.js';

const SHOWN = 60;

export default {
	id: 'waits', title: 'Who waits for whom',
	draw(element, data, view) {
		if (data.waits.length === 0)
			return false;
		const body = make('tbody'), longest = Math.max(...data.waits.map(w => w.total_ns));
		const list = () => {
			const key = view.construct?.key ?? null;
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
		element.append(make('p', { class: 'hint', text: 'Waiting of all threads together, the longest first. A construct that is selected above leaves what waits at it, or for it.' }),
			make('div', { class: 'scroll' }, [make('table', { id: 'waits-table' }, [make('thead', {}, [make('tr', {},
				['waiting at', 'state', 'times', 'total', 'longest', 'for'].map((text, i) => make('th', { scope: 'col', class: i > 1 && i < 5 ? 'number' : '', text })))]), body])]));
		redraw(element, view, list);
		return true;
	},
};
