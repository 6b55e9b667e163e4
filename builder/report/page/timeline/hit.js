/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is at a place on the canvas, and what is at a time of a row.
 */
import { findConstruct, keyOf } from '../data.js';
import { beginOf, find } from '../intervals.js';
import { LEFT } from './layout.js';

/* The row {row} and the time {t} at the place of a mouse event on the canvas. `row` is undefined outside of the rows. */
export function hit(event, layout, view) {
	const share = (event.offsetX - LEFT) / (event.target.clientWidth - LEFT);
	return {
		row: event.offsetX < LEFT ? undefined : layout.rowAt(event.offsetY),
		t: view.begin + share * (view.end - view.begin),
	};
}

/* The interval {row, i, begin, end} of a row at this time. Null: it has none there, or one without a state. */
export function intervalAt(row, t) {
	const i = find(row.ends, t);
	const states = row.names ?? row.process.states;
	if (i === row.ends.length || t < row.begin || row.states[i] >= states.length) return null;
	return { row, i, begin: beginOf(row, i), end: row.ends[i] };
}

/* The construct in which the critical path goes through the row between two times; undefined: it does not go there. */
export function constructAt(data, { process, place }, from, to) {
	const step = (process.path ?? []).find(([row, stepBegin, length]) => {
		const begin = stepBegin + process.offset;
		return (process.folded || row === place) && begin < to && begin + length > from;
	});
	return step && findConstruct(data, keyOf(process.process, step[3]));
}
