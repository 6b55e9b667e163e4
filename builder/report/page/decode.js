/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The streams of numbers in the page become rows of intervals (docs/report.md). All times become those of the page: a
 * process's `offset` is added.
 */
import { KINDS } from './states.js';

const NO_TASK = -1;

/* Of the base64 of deflated bytes. */
export async function inflate(text) {
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* A function that returns the next number in LEB128 at each call. */
function reader(bytes) {
	let at = 0;
	return () => {
		let value = 0;
		let scale = 1;
		for (;;) {
			const byte = bytes[at++];
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
			scale *= 128;
		}
	};
}

/* The rows of a process: {begin, ends, states} of intervals, `states` are indices of `process.states`. */
export function rowsOf(bytes, process) {
	const number = reader(bytes);
	return process.rows.map((name, place) => {
		const begin = number() + process.offset;
		const n = number();
		const ends = new Float64Array(n);
		const states = new Uint8Array(n);
		let time = begin;
		for (let i = 0; i < n; i++) {
			states[i] = number();
			time += number();
			ends[i] = time;
		}
		return { name, process, place, begin, ends, states };
	});
}

/* What each row executed, its lane {begin, ends, states, tasks}: as rows of intervals, but `states` are indices of
 * `process.lanes.constructs`; their number is the state of no task. `tasks` are the tasks of the stretches, 0 where they are not
 * known. */
export function lanesOf(bytes, process) {
	const number = reader(bytes);
	const read = process.lanes.exact ? readStretches : readWindows;
	const index = new Map(process.lanes.constructs.map(([construct], i) => [construct, i]));
	index.set(NO_TASK, process.lanes.constructs.length);
	return process.rows.map((_, place) => {
		const { begin, ends, states, tasks } = read(number, process, index);
		return { begin, ends: Float64Array.from(ends), states: Uint16Array.from(states), tasks, place };
	});
}

/* One row with all stretches. Each has the gap before it, its length, its construct, and the difference of its task's number from
 * the one before. */
function readStretches(number, { lanes, offset }, index) {
	const lane = { begin: number() + offset, ends: [], states: [], tasks: [] };
	let time = lane.begin;
	let task = 0;
	const put = (length, state, of) => {
		time += length;
		lane.ends.push(time);
		lane.states.push(state);
		lane.tasks.push(of);
	};
	for (let n = number(); n > 0; n--) {
		const gap = number();
		const length = number();
		const state = index.get(number());
		task += fromZigzag(number());
		if (gap > 0) put(gap, index.get(NO_TASK), 0);
		put(length, state, task === 0 ? 0 : task + lanes.before);
	}
	return lane;
}

const fromZigzag = n => (n % 2 === 1 ? -(n + 1) / 2 : n / 2);

/* One row of runs of windows, with one construct each. */
function readWindows(number, { lanes, offset, begin_ns: from, end_ns: to }, index) {
	const lane = { begin: from + offset, ends: [], states: [], tasks: [] };
	let window = 0;
	for (let n = number(); n > 0; n--) {
		const construct = number() - 1;
		window += number();
		lane.ends.push(lane.begin + ((to - from) * window) / lanes.windows);
		lane.states.push(index.get(construct));
		lane.tasks.push(0);
	}
	return lane;
}

/* The queues of devices as rows whose states are kinds of activities. */
export const queuesOf = process =>
	(process.queues ?? []).filter(queue => queue.activities.length > 0).map(queue => queueOf(process, queue));

function queueOf(process, { device, place, lane, activities: list }) {
	const row = { ends: [], states: [], activities: [] };
	let time = list[0][0];
	const put = (end, state, activity) => {
		time = end;
		row.ends.push(end + process.offset);
		row.states.push(state);
		row.activities.push(activity);
	};
	for (const activity of list) {
		const [begin, length, , kind] = activity;
		if (begin < time) continue;
		if (begin > time) put(begin, KINDS.length, null);
		put(begin + length, kind, activity);
	}
	return {
		name: `device ${device} ${place.toString(16)}${lane > 0 ? `+${lane}` : ''}`,
		process,
		begin: list[0][0] + process.offset,
		ends: Float64Array.from(row.ends),
		states: Uint8Array.from(row.states),
		activities: row.activities,
		names: KINDS,
	};
}
