/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task was executed where and when: `lane` of a row (decode.js). Colours of constructs, how much of a column of pixels
 * one construct takes, and the stretches of single tasks.
 */
import { keyOf } from './data.js';
import { beginOf, find } from './intervals.js';
import { byTime } from './text.js';

const TONES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
const OTHER = 'idle';

/* The constructs of a process that lanes name, as [number, label]. */
const named = process => process.lanes?.constructs ?? [];

/* The constructs of all processes with the time that they executed, the longest first: [{label, keys, ns, tone}]. */
export function laneConstructs(data) {
	const found = new Map();
	for (const row of data.rows) if (row.lane) addTimes(found, row);
	const sorted = byTime(found.values());
	sorted.forEach((construct, i) => {
		construct.tone = TONES[i] ?? OTHER;
	});
	return sorted;
}

function addTimes(found, { lane, process }) {
	lane.ends.forEach((end, i) => {
		const name = named(process)[lane.states[i]];
		if (name === undefined) return; /* no task */
		const label = name[1] || '(unknown)';
		if (!found.has(label)) found.set(label, { label, keys: new Set(), ns: 0 });
		const construct = found.get(label);
		construct.ns += end - beginOf(lane, i);
		construct.keys.add(keyOf(process.process, name[0]));
	});
}

/* Sets `laneTones` of each process: by state of its lanes the index of the colour, among those that are returned. */
export function laneTones(data, constructs) {
	const tones = new Map(constructs.flatMap(c => [...c.keys].map(key => [key, c.tone])));
	const all = [...TONES, OTHER];
	for (const process of data.processes)
		process.laneTones = named(process).map(([number]) => all.indexOf(tones.get(keyOf(process.process, number))));
	return all;
}

/* The number of the construct with this key in the lanes of a process; -1: no lane has it, as of a loop. */
const stateOf = (process, key) => named(process).findIndex(([number]) => keyOf(process.process, number) === key);

export const isInLanes = (data, key) => data.processes.some(process => stateOf(process, key) >= 0);

/* For each of `width` columns the share of its time that the row executed the construct with this key. */
export function coverage({ lane, process }, key, view, width) {
	const state = stateOf(process, key);
	return lane && state >= 0 ? shares(lane, i => i === state, view, width) : new Float32Array(width);
}

/* For each of `width` columns the share of its time in states of a row or lane of which isOf() is true. */
export function shares(intervals, isOf, view, width) {
	const covered = new Float32Array(width);
	const scale = (view.end - view.begin) / width;
	for (let i = find(intervals.ends, view.begin); i < intervals.ends.length; i++) {
		const begin = Math.max(beginOf(intervals, i), view.begin);
		if (begin >= view.end) break;
		if (!isOf(intervals.states[i])) continue;
		const end = Math.min(intervals.ends[i], view.end);
		addColumns(covered, (begin - view.begin) / scale, (end - view.begin) / scale);
	}
	return covered;
}

/* `from` and `to` are in columns. */
function addColumns(covered, from, to) {
	const last = Math.min(Math.ceil(to), covered.length);
	for (let x = Math.floor(from); x < last; x++) covered[x] += Math.min(to, x + 1) - Math.max(from, x);
}

/* The mean number of threads in the construct with this key, in each of n parts of a stretch of time. */
export function threadsIn(data, key, stretch, n) {
	const sums = new Float64Array(n);
	const [process] = key.split(':');
	for (const row of data.rows) {
		if (String(row.process.process) !== process) continue;
		const threads = row.process.folded ? row.name : 1;
		coverage(row, key, stretch, n).forEach((share, i) => {
			sums[i] += share * threads;
		});
	}
	return sums;
}

/* What a row executed at this time: {begin, end, key, label, task}, with the construct's key and label; null: no task. */
export function stretchAt({ lane, process }, t) {
	if (!lane || t < lane.begin) return null;
	const i = find(lane.ends, t);
	const name = named(process)[lane.states[i]];
	if (i === lane.ends.length || name === undefined) return null;
	const [number, label] = name;
	return { begin: beginOf(lane, i), end: lane.ends[i], key: keyOf(process.process, number), label, task: lane.tasks[i] };
}

/* By number of a task: its stretches [{row, begin, end}] in the order of time. */
export function stretchesByTask(data) {
	const found = new Map();
	const put = (task, stretch) => {
		if (!found.has(task)) found.set(task, []);
		found.get(task).push(stretch);
	};
	for (const row of data.rows)
		(row.lane?.tasks ?? []).forEach((task, i) => {
			if (task > 0) put(task, { row, begin: beginOf(row.lane, i), end: row.lane.ends[i] });
		});
	for (const process of data.processes)
		for (const [place, begin, length, task] of process.lanes?.parts ?? []) {
			const row = process.rows.find(r => r.place === place);
			const from = begin + process.offset;
			if (row) put(task + process.lanes.before, { row, begin: from, end: from + length });
		}
	found.forEach(list => list.sort((a, b) => a.begin - b.begin));
	return found;
}
