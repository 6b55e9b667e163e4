/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many threads were in which class of states over time, summed over all processes.
 */
import { CLASSES, classOf } from '../states.js';

/* From the bottom to the top of the chart. */
const ORDER = ['work', 'overhead', 'mutex', 'target', 'tasks', 'barrier', 'blocked', 'preempted', 'idle', 'unknown'];

/* {n, times, ready, layers}: the begins of n bins and the end of the last one; in each bin the mean number of ready tasks; and
 * of each class that there is {name, title, sums}, with the mean number of threads in each bin. */
export function binsOf(data) {
	const n = Math.max(...data.processes.map(p => p.bins.ready.length), 0);
	const length = (data.end - data.begin) / Math.max(n, 1);
	const ready = new Float64Array(n);
	const sums = new Map(ORDER.map(name => [name, new Float64Array(n)]));
	const middles = Array.from({ length: n }, (_, i) => data.begin + (i + 0.5) * length);
	for (const process of data.processes) addProcess(process, middles, ready, sums);
	return {
		n,
		times: [...middles.map((_, i) => data.begin + i * length), data.end],
		ready,
		layers: ORDER.map(name => ({ name, title: titleOf(name), sums: sums.get(name) })).filter(layer =>
			layer.sums.some(threads => threads > 0),
		),
	};
}

const titleOf = name => CLASSES.find(c => c.name === name).title;

/* The bins of a process have edges of their own: at the middle of each bin of the page, its own bin counts. */
function addProcess({ bins, offset }, middles, ready, sums) {
	const edges = bins.times_ns.map(t => t + offset);
	const states = Object.entries(bins.threads).map(([state, threads]) => [sums.get(CLASSES[classOf(state)].name), threads]);
	let bin = 0;
	middles.forEach((time, i) => {
		while (bin < edges.length - 2 && edges[bin + 1] <= time) bin++;
		if (edges.length < 2 || time < edges[0] || time >= edges.at(-1)) return;
		ready[i] += bins.ready[bin];
		for (const [sum, threads] of states) sum[i] += threads[bin];
	});
}
