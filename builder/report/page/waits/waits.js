/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where threads waited, and for what: the largest as a matrix (matrix.js), and a row for each place, with shares of what was
 * waited for.
 */
import { keyOf } from '../data.js';
import { append, hint, make, replace } from '../dom.js';
import { redraw } from '../redraw.js';
import { cell, head, number, table } from '../table.js';
import { byTime, nounsOfAll, percent, time, words } from '../text.js';
import { matrix } from './matrix.js';

const SHOWN = 60;
const STRIPES = 6; /* causes in the bar of a row, and */
const NAMED = 3; /* in the text below it */

const HEADS = [
	['waiting at', 'the construct at which threads waited'],
	['state', 'how they waited'],
	['times', 'how often a thread waited there'],
	['total', 'how long, all threads together'],
	['longest', 'the longest single wait'],
	['for', 'the constructs that they waited for, with their shares of the time'],
];

const about = ({ threads }) =>
	`Waiting of all ${threads} together, the longest first. ` +
	'A construct that is selected above leaves what waits at it, or for it.';

function row(wait, longest) {
	const causes = byTime(wait.for);
	const share = cause => cause.ns / wait.total_ns;
	const stripe = (cause, i) =>
		make('span', {
			class: `tone${i}`,
			style: `flex:${Math.max(share(cause), 0.01)}`,
			title: `${cause.label} ${percent(share(cause))}`,
		});
	const name = cause => `${cause.label || '(unknown)'} ${percent(Math.min(share(cause), 1))}`;
	const style = `width:${Math.max((100 * wait.total_ns) / longest, 2)}%`;
	return make(
		'tr',
		{},
		cell(wait.label),
		cell(words(wait.state)),
		number(String(wait.count)),
		number(time(wait.total_ns)),
		number(time(wait.longest_ns)),
		make(
			'td',
			{},
			make('div', { class: 'wait', style }, causes.slice(0, STRIPES).map(stripe)),
			make('span', { class: 'whom', text: causes.slice(0, NAMED).map(name).join(', ') }),
		),
	);
}

const noRow = construct => make('tr', {}, make('td', { colspan: '6', text: `Nobody waits at ${construct.label}, or for it.` }));

export default {
	id: 'waits',
	title: 'Waits by cause',
	about: 'At which constructs threads waited, and for which others',
	draw(element, data, view) {
		const { waits } = data;
		if (waits.length === 0) return false;
		const longest = Math.max(...waits.map(wait => wait.total_ns));
		const body = make('tbody');
		const matrixTable = matrix(data, view);
		append(
			element,
			hint(about(nounsOfAll(data.summary))),
			matrixTable,
			table(
				{ id: 'waits-table' },
				HEADS.map(([text, meaning], i) => head(text, i > 1 && i < 5, meaning)),
				body,
			),
		);
		redraw(element, view, () => {
			const key = view.construct?.key ?? null;
			const isOf = wait => wait.key === key || wait.for.some(cause => keyOf(wait.process, cause.row) === key);
			const rows = waits.filter(wait => key === null || isOf(wait)).slice(0, SHOWN);
			for (const name of matrixTable?.querySelectorAll('[data-key]') ?? [])
				name.classList.toggle('chosen', name.dataset.key === key);
			replace(body, rows.length > 0 ? rows.map(wait => row(wait, longest)) : noRow(view.construct));
		});
	},
};
