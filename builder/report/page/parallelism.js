/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many threads were in which kind of state over time, one upon the other, how many tasks were ready, and how many threads were
 * in the construct that is selected. Dragging over it zooms everything.
 */
import uPlot from 'uplot';
import { CLASSES, classOf } from './data.js';
import { color, make, mark, redraw } from './dom.js';
import { threadsIn } from './lanes.js';
import { timeKey } from './view.js';

const ORDER = ['work', 'overhead', 'mutex', 'target', 'tasks', 'barrier', 'blocked', 'preempted', 'idle', 'unknown'];

/* Sums of all processes at the edges of one grid: each bin is as wide in every process of one run. */
function chart(data) {
	const n = Math.max(...data.processes.map(p => p.bins.ready.length), 0), times = [], length = (data.end - data.begin) / Math.max(n, 1);
	const sums = ORDER.map(() => new Float64Array(n)), ready = new Float64Array(n), seen = new Set();
	for (let i = 0; i < n; i++)
		times.push(data.begin + i * length);
	for (const process of data.processes) {
		const edges = process.bins.times_ns.map(t => t + process.offset), lists = Object.entries(process.bins.threads);
		for (let i = 0, bin = 0; i < n && edges.length > 1; i++) {
			const at = data.begin + (i + 0.5) * length;
			while (bin < edges.length - 2 && edges[bin + 1] <= at)
				bin++;
			if (at < edges[0] || at >= edges[edges.length - 1])
				continue;
			ready[i] += process.bins.ready[bin];
			for (const [state, threads] of lists) {
				const row = ORDER.indexOf(CLASSES[classOf(state)].name);
				sums[row][i] += threads[bin];
				if (threads[bin] > 0)
					seen.add(row);
			}
		}
	}
	times.push(data.end); // where the last bin ends
	return { times, sums, ready, seen: [...seen].sort((a, b) => a - b), n };
}

export default {
	id: 'parallelism', title: 'Threads over time',
	draw(element, data, view) {
		const { times, sums, ready, seen, n } = chart(data);
		if (n === 0 || seen.length === 0)
			return false;
		const stacked = [], running = new Float64Array(n);
		for (const row of seen) {
			for (let i = 0; i < n; i++)
				running[i] += sums[row][i];
			stacked.push(Float64Array.from(running));
		}
		const titles = seen.map(row => CLASSES.find(c => c.name === ORDER[row]).title);
		const box = make('div', { class: 'chart', tabindex: '0', role: 'img', 'aria-label': 'Threads by state over time: ' + titles.join(', ') });
		element.append(make('p', { class: 'hint', text: 'Drag to zoom into a stretch of time; double-click shows all of it again.' }), box);
		const closed = list => [...list, list[n - 1]], steps = uPlot.paths.stepped({ align: 1 });
		let plot = null, isTelling = false;
		const build = () => {
			const chosen = view.construct, inside = chosen === null ? null : threadsIn(data, chosen.key, { begin: data.begin, end: data.end }, n);
			plot?.destroy();
			const axis = { stroke: color('text'), grid: { stroke: color('line'), width: 1 }, ticks: { stroke: color('line') } };
			plot = new uPlot({
				width: Math.max(box.clientWidth, 300), height: 240, cursor: { drag: { x: true, y: false, setScale: false } }, legend: { live: true },
				scales: { x: { time: false, range: () => [view.begin, view.end] }, y: { range: (_, _min, max) => [0, Math.max(max, 1)] }, ready: { range: (_, _min, max) => [0, Math.max(max, 1)] } },
				axes: [{ ...axis, space: 90, values: (_, list) => list.map(t => mark(t, list.length > 1 ? list[1] - list[0] : 1e9, view.end)) }, { ...axis, label: 'threads' },
					{ ...axis, scale: 'ready', side: 1, grid: { show: false }, label: 'ready tasks' }],
				series: [{ label: 'time', value: (_, t) => t === null ? '' : (t / 1e9).toFixed(6) + ' s' },
					...seen.map((row, i) => ({ label: titles[i], fill: color(ORDER[row]), width: 0, paths: steps, points: { show: false }, value: (_, v, __, at) => at === null ? '' : (sums[row][Math.min(at, n - 1)]).toFixed(2) })).reverse(),
					{ label: 'ready tasks', scale: 'ready', stroke: color('text'), width: 1, dash: [4, 3], paths: steps, points: { show: false } },
					...inside ? [{ label: 'in ' + chosen.label, stroke: color('selected'), width: 2, paths: steps, points: { show: false }, value: (_, v) => v === null || v === undefined ? '' : v.toFixed(2) }] : []],
				hooks: { setSelect: [u => {
					if (u.select.width > 3 && !isTelling)
						view.show(u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x'));
					u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
				}] },
			}, [times, ...[...stacked].reverse().map(closed), closed(ready), ...inside ? [closed(inside)] : []], box);
			box.dataset.inside = inside ? String(inside.reduce((sum, v) => sum + v, 0) / n) : '';
			plot.over.addEventListener('dblclick', () => view.reset());
		};
		let width = 0, theme = '', key = null;
		redraw(box, view, () => {
			const now = document.documentElement.dataset.theme;
			if (box.clientWidth !== width || now !== theme || (view.construct?.key ?? null) !== key) {
				width = box.clientWidth;
				theme = now;
				key = view.construct?.key ?? null;
				build();
			} else {
				isTelling = true;
				plot.setScale('x', { min: view.begin, max: view.end });
				isTelling = false;
			}
		});
		box.addEventListener('keydown', event => timeKey(view, event));
		return true;
	},
};
