/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Grain: how often a task construct was executed, and how long one takes on average, beside what one costs.
 */
import { hideTip, make, makeSvg, redraw, showTip, time } from './dom.js';

const WIDTH = 640, HEIGHT = 300, MARGIN = { left: 70, right: 16, top: 12, bottom: 40 };

export default {
	id: 'grain', title: 'Grain of tasks',
	draw(element, data, view) {
		const tasks = data.constructs.filter(c => c.cost_ns !== null && c.count > 0 && c.own_ns > 0);
		if (tasks.length === 0)
			return false;
		const mean = c => c.own_ns / c.count, logs = list => [Math.floor(Math.log10(Math.min(...list))), Math.ceil(Math.log10(Math.max(...list)) + 1e-9)];
		const xs = logs(tasks.map(c => c.count)), ys = logs(tasks.flatMap(c => [mean(c), Math.max(c.cost_ns, 1)]));
		const spread = ([low, high]) => [low, Math.max(high, low + 1)], [x0, x1] = spread(xs), [y0, y1] = spread(ys);
		const x = n => MARGIN.left + (Math.log10(n) - x0) / (x1 - x0) * (WIDTH - MARGIN.left - MARGIN.right);
		const y = ns => HEIGHT - MARGIN.bottom - (Math.log10(ns) - y0) / (y1 - y0) * (HEIGHT - MARGIN.top - MARGIN.bottom);
		const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => 10 ** (from + i));
		const circles = tasks.map(c => makeSvg('circle', { cx: x(c.count), cy: y(mean(c)), r: 5 + 10 * Math.sqrt(c.own_ns / Math.max(...tasks.map(t => t.own_ns))), class: mean(c) < c.cost_ns ? 'small' : '', 'data-key': c.key,
			tabindex: '0', 'aria-label': c.label + ': ' + c.count + ' of ' + time(mean(c)) + ', one costs ' + time(c.cost_ns),
			onclick: () => view.select(c), onpointermove: event => showTip(event, [c.label, c.count + ' x ' + time(mean(c)), 'one costs ' + time(c.cost_ns)]), onpointerleave: hideTip }));
		const costs = tasks.filter(c => c.cost_ns > 0).map(c => makeSvg('line', { x1: x(c.count) - 14, x2: x(c.count) + 14, y1: y(c.cost_ns), y2: y(c.cost_ns), class: 'cost' }));
		const svg = makeSvg('svg', { viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, class: 'scatter', role: 'group', 'aria-label': 'Count and mean time of each task construct' }, [
			...range(x0, x1).flatMap(n => [makeSvg('line', { x1: x(n), x2: x(n), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom, class: 'grid' }), makeSvg('text', { x: x(n), y: HEIGHT - MARGIN.bottom + 16, 'text-anchor': 'middle', text: n >= 1e6 ? n / 1e6 + ' M' : n >= 1e3 ? n / 1e3 + ' k' : String(n) })]),
			...range(y0, y1).flatMap(ns => [makeSvg('line', { x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(ns), y2: y(ns), class: 'grid' }), makeSvg('text', { x: MARGIN.left - 6, y: y(ns) + 4, 'text-anchor': 'end', text: time(ns) })]),
			makeSvg('text', { x: (WIDTH + MARGIN.left) / 2, y: HEIGHT - 6, 'text-anchor': 'middle', text: 'tasks of the construct' }), ...costs, ...circles]);
		element.append(make('p', { class: 'hint', text: 'A dot is a task construct, as large as all that it executed. Dashes are what creating and starting one of its tasks costs: a dot below its dash is too small.' }), svg);
		redraw(element, view, () => circles.forEach(circle => circle.classList.toggle('is-selected', circle.dataset.key === view.construct?.key)));
		return true;
	},
};
