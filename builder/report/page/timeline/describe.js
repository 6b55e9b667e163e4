/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An interval of the time line in words: for the tip, and for the line below the canvas.
 */
import { findConstruct, keyOf } from '../data.js';
import { stretchAt } from '../lanes.js';
import { seconds, byTime, some, time, words } from '../text.js';
import { constructAt } from './hit.js';

const processName = ({ several, process }) => (several ? `p${process} ` : '');

export function rowName({ process, names, name }) {
	if (names) return processName(process) + name;
	return processName(process) + (process.folded ? `${name} threads` : `thread ${name}`);
}

/* Lines about an interval {row, i, begin, end}. `t`: the time that is of interest in it. */
export const describe = (data, interval, t = interval.begin) =>
	interval.row.names ? describeActivity(data, interval) : describeState(data, interval, t);

/* What a device did. */
function describeActivity(data, { row, i, begin, end }) {
	const [, , number, , name] = row.activities[i];
	const kind = row.names[row.states[i]];
	const construct = findConstruct(data, keyOf(row.process.process, number));
	return some(
		rowName(row),
		`${name === kind ? kind : `${kind} ${words(name)}`}, ${time(end - begin)}`,
		`at ${seconds(begin)}`,
		construct && `of ${construct.label}`,
	);
}

/* The state of a thread. */
function describeState(data, { row, i, begin, end }, t) {
	const { process } = row;
	const state = process.states[row.states[i]];
	const host = data.processes.some(p => p.host !== process.host) ? ` on ${process.host}` : '';
	const stretch = stretchAt(row, t);
	const construct = constructAt(data, row, begin, end);
	return some(
		rowName(row) + host,
		`${words(state)}, ${isExact(process, begin, end) ? '' : 'about '}${time(end - begin)}`,
		`at ${seconds(begin)}`,
		stretch && describeStretch(process, stretch),
		construct && `on the critical path: ${construct.label}`,
		state.startsWith('wait') && longestWait(data, process, state),
	);
}

/* All intervals of a small run are exact. Those of a larger one are within some stretches. */
const isExact = (process, begin, end) =>
	process.exact || (process.close ?? []).some(([from, to]) => from + process.offset <= begin && end <= to + process.offset);

const describeStretch = (process, { task, label }) =>
	`${process.lanes.exact ? 'in ' : 'about in '}${task > 0 ? `task ${task} of ` : ''}${label || 'unknown'}`;

/* Where the threads of the process waited longest in this state, and for what. */
function longestWait(data, process, state) {
	const [wait] = data.waits
		.filter(w => w.process === process.process && w.state === state)
		.sort((a, b) => b.total_ns - a.total_ns);
	if (!wait) return null;
	const [cause] = byTime(wait.for);
	return `most of such waiting: at ${wait.label}${cause ? `, for ${cause.label}` : ''}`;
}
