/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task executed where and when, as data.js has read it: colours of constructs, how much of a column of pixels is of one
 * construct, and the stretches of single tasks. Used by the time line and by what shows tasks on it.
 */
const TONES = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'], OTHER = 'idle';

/* The constructs of all processes by what they executed, the largest first: {label, keys, ns, tone}. */
export function laneConstructs(data) {
	const found = new Map();
	for (const process of data.processes)
		for (const row of process.rows) {
			if (!row.lane)
				continue;
			const { lane } = row;
			lane.ends.forEach((end, i) => {
				const name = process.lanes.constructs[lane.states[i]];
				if (name === undefined)
					return;
				const label = name[1] || '(unknown)', of = found.get(label) ?? { label, keys: new Set(), ns: 0 };
				of.ns += end - (i === 0 ? lane.begin : lane.ends[i - 1]);
				of.keys.add(process.process + ':' + name[0]);
				found.set(label, of);
			});
		}
	const sorted = [...found.values()].sort((a, b) => b.ns - a.ns);
	sorted.forEach((construct, i) => { construct.tone = i < TONES.length ? TONES[i] : OTHER; });
	return sorted;
}

/* For each process the number of its constructs' colours among the names; nothing has none. */
export function laneTones(data, constructs) {
	const tones = new Map(constructs.flatMap(c => [...c.keys].map(key => [key, c.tone]))), names = [...TONES, OTHER];
	for (const process of data.processes)
		process.laneTones = (process.lanes?.constructs ?? []).map(([row]) => names.indexOf(tones.get(process.process + ':' + row)));
	return names;
}

/* The first interval that ends after this time. */
export function find(ends, at) {
	let low = 0, high = ends.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (ends[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* By column of pixels: how much of it the row executed the construct of this key. */
export function coverage(row, key, view, width) {
	const covered = new Float32Array(width), { lane, process } = row, state = (process.lanes?.constructs ?? []).findIndex(([number]) => process.process + ':' + number === key);
	if (!lane || state < 0)
		return covered;
	const scale = (view.end - view.begin) / width;
	for (let i = find(lane.ends, view.begin); i < lane.ends.length; i++) {
		const begin = Math.max(i === 0 ? lane.begin : lane.ends[i - 1], view.begin), end = Math.min(lane.ends[i], view.end);
		if (begin >= view.end)
			break;
		if (lane.states[i] !== state)
			continue;
		const from = (begin - view.begin) / scale, to = (end - view.begin) / scale;
		for (let x = Math.floor(from); x < Math.min(Math.ceil(to), width); x++)
			covered[x] += Math.min(to, x + 1) - Math.max(from, x);
	}
	return covered;
}

/* How many threads were in the construct, in n parts of a stretch of time. */
export function threadsIn(data, key, stretch, n) {
	const sums = new Float64Array(n);
	for (const row of data.rows)
		if (row.process.process + ':' === key.slice(0, key.indexOf(':') + 1))
			coverage(row, key, stretch, n).forEach((share, i) => { sums[i] += share * (row.process.folded ? row.name : 1); });
	return sums;
}

/* What a row executed at this time: {begin, end, construct: {key, label}, task}, or null. */
export function stretchAt(row, t) {
	const { lane, process } = row;
	if (!lane || t < lane.begin)
		return null;
	const i = find(lane.ends, t), name = process.lanes.constructs[lane.states[i]];
	if (i === lane.ends.length || name === undefined)
		return null;
	return { begin: i === 0 ? lane.begin : lane.ends[i - 1], end: lane.ends[i], key: process.process + ':' + name[0], label: name[1], task: lane.tasks[i] };
}

/* By number of a task: its stretches {row, begin, end}, in the order of time. */
export function stretchesByTask(data) {
	const found = new Map(), put = (task, stretch) => found.get(task)?.push(stretch) ?? found.set(task, [stretch]);
	for (const process of data.processes) {
		for (const row of process.rows)
			(row.lane?.tasks ?? []).forEach((task, i) => task > 0 && put(task, { row, begin: i === 0 ? row.lane.begin : row.lane.ends[i - 1], end: row.lane.ends[i] }));
		for (const [place, begin, length, task] of process.lanes?.parts ?? []) {
			const row = process.rows.find(r => r.place === place);
			if (row)
				put(task + process.lanes.before, { row, begin: begin + process.offset, end: begin + process.offset + length });
		}
	}
	found.forEach(list => list.sort((a, b) => a.begin - b.begin));
	return found;
}
