/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Grain: how often a task construct was executed, and how long one task takes on average, beside what one costs.
 */
import { hint, makeSvg, svgText } from './dom.js';
import { redraw } from './redraw.js';
import { hideTip, showTip, showTipAt } from './tip.js';
import { time } from './text.js';

const WIDTH = 640;
const HEIGHT = 300;
const LEFT = 70;
const RIGHT = WIDTH - 16;
const TOP = 26;
const BOTTOM = HEIGHT - 40;
const DASH = 14; /* half of a dash */
const NAMED = 8; /* the most dots with a name */
const NAME = 12; /* the height of a name, and how far it is */
const BESIDE = 20; /* from the middle of its dot */

const ABOUT =
	'A dot is a task construct, as large as all that it executed. ' +
	'Dashes are what creating and starting one of its tasks costs: a dot below its dash is too small.';

const mean = construct => construct.own_ns / construct.count;

/* Powers of ten around all values, from `low` to `high`, and the places of values between two places on the canvas. */
function logScale(values, from, to) {
	const low = Math.floor(Math.log10(Math.min(...values)));
	const high = Math.max(Math.ceil(Math.log10(Math.max(...values)) + 1e-9), low + 1);
	const powers = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
	return { powers, at: value => from + ((Math.log10(value) - low) / (high - low)) * (to - from) };
}

function thousands(n) {
	if (n >= 1e6) return `${n / 1e6} M`;
	return n >= 1e3 ? `${n / 1e3} k` : String(n);
}

const grid = ends => makeSvg('line', { ...ends, class: 'grid' });

const axes = (x, y) => [
	x.powers.map(n => [
		grid({ x1: x.at(n), x2: x.at(n), y1: TOP, y2: BOTTOM }),
		svgText(x.at(n), BOTTOM + 16, 'middle', thousands(n)),
	]),
	y.powers.map(ns => [
		grid({ x1: LEFT, x2: RIGHT, y1: y.at(ns), y2: y.at(ns) }),
		svgText(LEFT - 6, y.at(ns) + 4, 'end', time(ns)),
	]),
	svgText((WIDTH + LEFT) / 2, HEIGHT - 6, 'middle', 'how many tasks the construct has'),
	svgText(4, 12, 'start', 'mean time of one task'),
];

function dash(construct, x, y) {
	const [middle, height] = [x.at(construct.count), y.at(construct.cost_ns)];
	return makeSvg('line', { x1: middle - DASH, x2: middle + DASH, y1: height, y2: height, class: 'cost' });
}

/* The names of the constructs that executed most, beside their dots. Where two would be upon each other, the smaller has none. */
function names(tasks, x, y) {
	const placed = [];
	for (const construct of [...tasks].sort((a, b) => b.own_ns - a.own_ns).slice(0, NAMED)) {
		const at = { x: x.at(construct.count), y: y.at(mean(construct)) };
		const isLeft = at.x > (LEFT + RIGHT) / 2;
		const isFree = placed.every(p => p.isLeft !== isLeft || Math.abs(p.y - at.y) > NAME);
		if (isFree) placed.push({ ...at, isLeft, label: construct.label });
	}
	return placed.map(p => svgText(p.x + (p.isLeft ? -BESIDE : BESIDE), p.y + 4, p.isLeft ? 'end' : 'start', p.label));
}

/* `largest`: the most that a construct executed, in ns. */
function dot(construct, x, y, largest, view) {
	const { label, count, own_ns: own, cost_ns: cost, key } = construct;
	const each = time(mean(construct));
	const tip = [label, `${count} x ${each}`, `one costs ${time(cost)}`];
	return makeSvg('circle', {
		cx: x.at(count),
		cy: y.at(mean(construct)),
		r: 5 + 10 * Math.sqrt(own / largest),
		class: mean(construct) < cost ? 'small' : '',
		'data-key': key,
		tabindex: '0',
		'aria-label': `${label}: ${count} of ${each}, one costs ${time(cost)}`,
		onclick: () => view.select(construct),
		onpointermove: event => showTip(event, tip),
		onfocus: ({ target }) => showTipAt(target, tip),
		onblur: hideTip,
		onpointerleave: hideTip,
	});
}

export default {
	id: 'grain',
	title: 'Grain of tasks',
	about: 'Whether tasks are long enough for what creating and starting one costs',
	draw(element, data, view) {
		const tasks = data.constructs.filter(c => c.cost_ns !== null && c.count > 0 && c.own_ns > 0);
		if (tasks.length === 0) return false;
		const times = tasks.flatMap(c => [mean(c), Math.max(c.cost_ns, 1)]);
		const x = logScale(
			tasks.map(c => c.count),
			LEFT,
			RIGHT,
		);
		const y = logScale(times, BOTTOM, TOP);
		const largest = Math.max(...tasks.map(c => c.own_ns));
		const dots = tasks.map(c => dot(c, x, y, largest, view));
		const dashes = tasks.filter(c => c.cost_ns > 0).map(c => dash(c, x, y));
		const attributes = {
			viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
			class: 'scatter',
			role: 'group',
			'aria-label': 'Count and mean time of each task construct',
		};
		element.append(hint(ABOUT), makeSvg('svg', attributes, axes(x, y), dashes, dots, names(tasks, x, y)));
		redraw(element, view, () => {
			for (const { dataset, classList } of dots)
				classList.toggle('is-selected', dataset.key === view.construct?.key);
		});
	},
};
