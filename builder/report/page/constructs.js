/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The constructs with their figures: sorted by a click on a column, filtered by what is typed, selected by a click on a row.
 */
import { make, makeSvg, percent, redraw, time } from './dom.js';

const SHOWN = 200;

function box(times, most) {
	if (!times || most <= 0)
		return document.createTextNode('');
	const x = ns => ns <= 0 ? 0 : Math.max(0, Math.log(ns) / Math.log(most)) * 100, [least, p10, p25, p50, p75, p90, largest] = times;
	return makeSvg('svg', { viewBox: '0 0 100 12', class: 'box', role: 'img', 'aria-label': 'from ' + time(least) + ' to ' + time(largest) + ', half below ' + time(p50) }, [
		makeSvg('title', { text: [least, p10, p25, p50, p75, p90, largest].map(time).join(' · ') }),
		makeSvg('line', { x1: x(least), x2: x(largest), y1: 6, y2: 6, class: 'whisker' }),
		makeSvg('rect', { x: x(p25), width: Math.max(x(p75) - x(p25), 1), y: 2, height: 8, class: 'quartiles' }),
		makeSvg('line', { x1: x(p50), x2: x(p50), y1: 1, y2: 11, class: 'median' }),
	]);
}

export default {
	id: 'constructs', title: 'Constructs',
	draw(element, data, view) {
		if (data.constructs.length === 0)
			return false;
		const answer = data.summary.answer, span = answer?.span_ns || 0, isLong = data.processes.length > 1;
		const loss = answer ? answer.wall_ns * answer.threads - answer.account_ns.work : 0;
		const most = Math.max(...data.constructs.map(c => c.own_times_ns?.[6] ?? 0), 2);
		const columns = [
			...(isLong ? [{ name: 'process', value: c => c.process, text: c => String(c.process) }] : []),
			{ name: 'construct', value: c => c.label, text: c => c.label },
			{ name: 'function', value: c => c.function, text: c => c.function },
			{ name: 'count', value: c => c.count, text: c => String(c.count), isNumber: true },
			{ name: 'executed', value: c => c.own_ns, text: c => time(c.own_ns), isNumber: true },
			{ name: 'mean', value: c => c.count ? c.own_ns / c.count : 0, text: c => c.count ? time(c.own_ns / c.count) : '', isNumber: true },
			{ name: 'one costs', value: c => c.cost_ns ?? -1, text: c => c.cost_ns === null ? '' : time(c.cost_ns), isNumber: true },
			{ name: 'waiting', value: c => c.wait_ns, text: c => c.wait_ns ? time(c.wait_ns) : '', isNumber: true },
			{ name: 'path', value: c => c.path_ns, text: c => span > 0 ? percent(Math.min(c.path_ns / span, 1)) : '', isNumber: true },
			{ name: 'blame', value: c => c.blamed_ns, text: c => loss > 0 ? percent(c.blamed_ns / loss) : '', isNumber: true },
		];
		let sorted = null, isDown = true;
		const filter = make('input', { type: 'search', placeholder: 'Filter by name, file or function', 'aria-label': 'Filter constructs', oninput: () => list() });
		const body = make('tbody'), heads = columns.map(column => make('th', { scope: 'col', class: column.isNumber ? 'number' : '', 'aria-sort': 'none' }, [
			make('button', { type: 'button', text: column.name, onclick: () => {
				isDown = sorted === column ? !isDown : Boolean(column.isNumber);
				sorted = column;
				heads.forEach((head, i) => head.setAttribute('aria-sort', columns[i] !== sorted ? 'none' : isDown ? 'descending' : 'ascending'));
				list();
			} })]));
		const count = make('p', { class: 'hint', id: 'constructs-shown' });
		const row = c => make('tr', { tabindex: '0', 'data-key': c.key, 'aria-selected': String(view.construct?.key === c.key), onclick: () => view.select(c),
			onkeydown: event => (event.key === 'Enter' || event.key === ' ') && (event.preventDefault(), view.select(c)) }, [
			...columns.map(column => make('td', { class: column.isNumber ? 'number' : '' }, [
				make('span', { text: column.text(c), title: column.name === 'construct' ? c.file + ':' + c.line : null }),
				column.name === 'construct' && c.source ? make('code', { class: 'source', text: c.source }) : ''])),
			make('td', {}, [box(c.own_times_ns, most)]),
		]);
		const list = () => {
			const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
			let rows = data.constructs.filter(c => words.every(word => (c.label + ' ' + c.function + ' ' + c.file + ' ' + c.kind).toLowerCase().includes(word)));
			if (sorted !== null)
				rows = [...rows].sort((a, b) => {
					const x = sorted.value(a), y = sorted.value(b);
					return (x < y ? -1 : x > y ? 1 : 0) * (isDown ? -1 : 1);
				});
			body.replaceChildren(...rows.slice(0, SHOWN).map(row));
			count.textContent = rows.length > SHOWN ? 'The first ' + SHOWN + ' of ' + rows.length + '; filter to see others, constructs.csv has all.' : rows.length + ' constructs.';
		};
		element.append(filter, make('div', { class: 'scroll' }, [make('table', { id: 'constructs-table' }, [
			make('thead', {}, [make('tr', {}, [...heads, make('th', { scope: 'col', text: 'own times (log)' })])]), body])]), count);
		list();
		redraw(element, view, () => body.querySelectorAll('tr').forEach(tr => tr.setAttribute('aria-selected', String(view.construct?.key === tr.dataset.key))));
		return true;
	},
};
