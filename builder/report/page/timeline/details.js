/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line below the time line about the interval that is selected there, with buttons for its constructs.
 */
import { findConstruct } from '../data.js';
import { append, button, details } from '../dom.js';
import { stretchAt } from '../lanes.js';
import { describe } from './describe.js';
import { constructAt } from './hit.js';

/* {element, show, tell}: tell(text) shows a text instead. show(interval, t) shows an interval, or nothing if it is null, and returns the single task that its row
 * executed at this time, or null. `tasks`: null: the page has no single tasks. */
export function makeDetails(data, view, tasks) {
	const element = details('timeline-details');
	const offer = construct =>
		construct &&
		append(
			element,
			' ',
			button(`Select ${construct.label}`, () => view.select(construct)),
		);
	const singleAt = (row, t, stretch) => (stretch && tasks?.at(row, t, stretch)) ?? null;
	const show = (interval, t) => {
		element.textContent = '';
		if (interval === null) return null;
		const { row, begin, end } = interval;
		const stretch = stretchAt(row, t);
		const single = singleAt(row, t, stretch);
		const onPath = row.names ? undefined : constructAt(data, row, begin, end);
		const executed = findConstruct(data, stretch?.key);
		append(
			element,
			describe(data, interval, t).join(' · '),
			stretch?.task > 0 && single === null && command(data, row.process, stretch.task),
		);
		offer(onPath);
		if (executed !== onPath) offer(executed);
		return single;
	};
	const tell = text => {
		element.textContent = text;
	};
	return { element, show, tell };
}

/* How to get a page that has this task. */
function command(data, { process, lanes }, task) {
	const option = data.processes.length > 1 ? ` --process=${process}` : '';
	return ` · otter-build --report --task=${task - lanes.before}${option} makes a page of it`;
}
