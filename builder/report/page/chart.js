/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charts of curves over a number, both on logarithmic axes, with their legend: estimates of other runs, and how runs scale.
 */
import { image, make, makeSvg, svgText } from './dom.js';
import { tipListeners } from './tip.js';

const WIDTH = 620;
const HEIGHT = 300;
const LEFT = 46;
const RIGHT = WIDTH - 26;
const TOP = 26;
const BOTTOM = HEIGHT - 40;
const TONES = ['work', 'tasks', 'mutex', 'overhead', 'target', 'blocked'];
const DASHES = ['', '7 4', '2 3', '9 3 2 3', '4 2 4 6', '1 5'];

/* Up to this range of y, its axis has numbers that are this many times the one before. */
const FACTORS = [
	[3, Math.SQRT2],
	[64, 2],
	[4096, 4],
	[2 ** 24, 16],
	[2 ** 48, 256],
	[Infinity, 2 ** 32],
];

const NEAR = 1e-9; /* what rounding may add to a logarithm */

/* The colour and the dashes of the curve with this index. */
export const style = i => ({ tone: TONES[i % TONES.length], dash: DASHES[i % DASHES.length] });

/* Numbers without repetition, in ascending order. */
export const ascending = numbers => [...new Set(numbers)].sort((a, b) => a - b);

const hasPlace = number => number > 0 && Number.isFinite(number);

/* A chart of curves {name, tone, dash, points: [{x, y, tip}]}. `xs`: the numbers on the axis. `mark`: one of them, which a line
 * marks, or undefined. `unit`: the name of the axis, `measure` that of the other one. `nameOf`: what the axis shows of a
 * number. Logarithmic axes have no place for 0 and what is infinite: such points are left out. */
export function chart(all, { id, label, unit, xs: numbers, mark, measure = 'times as fast', nameOf = String }) {
	const xs = numbers.filter(hasPlace);
	const curves = all.map(curve => ({ ...curve, points: curve.points.filter(({ x, y }) => hasPlace(x) && hasPlace(y)) }));
	const scale = scaleOf(curves, xs);
	return makeSvg(
		'svg',
		{ class: 'scatter', id, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...image(label) },
		axes(scale, xs, { unit, measure, nameOf }),
		mark && makeSvg('line', { class: 'cost', x1: scale.x(mark), x2: scale.x(mark), y1: TOP, y2: BOTTOM }),
		curves.map(curve => drawCurve(curve, scale)),
		curves.map(curve => curve.points.map(point => drawPoint(curve, point, scale))),
	);
}

/* Places of x and y in the chart, and the numbers on the axis of y, which begins and ends with one. */
function scaleOf(curves, xs) {
	const ys = curves.flatMap(curve => curve.points.map(point => point.y));
	const [first, last] = [Math.log2(Math.min(...xs)), Math.log2(Math.max(...xs))];
	const [least, most] = [Math.min(1, ...ys), Math.max(1.1, ...ys)];
	const levels = levelsAround(least, most);
	const [low, high] = [Math.log2(levels[0]), Math.log2(levels.at(-1))];
	return {
		x: x => LEFT + (last > first ? (Math.log2(x) - first) / (last - first) : 0.5) * (RIGHT - LEFT),
		y: y => BOTTOM - ((Math.log2(y) - low) / (high - low)) * (BOTTOM - TOP),
		levels,
	};
}

/* Numbers that are powers of the same one, from the last below or at the least to the first above or at the largest. */
function levelsAround(least, most) {
	const [, factor] = FACTORS.find(([range]) => most / least <= range);
	const power = Math.log2(factor);
	const first = Math.floor(Math.log2(least) / power + NEAR);
	const last = Math.ceil(Math.log2(most) / power - NEAR);
	return Array.from({ length: Math.max(last - first, 1) + 1 }, (_, i) => 2 ** ((first + i) * power));
}

function threeDigits(y) {
	if (y < 0.1 || y >= 1e5) return y.toExponential(0);
	if (y >= 100) return y.toFixed(0);
	return y.toFixed(y >= 10 ? 1 : 2);
}

const axes = (scale, xs, { unit, measure, nameOf }) => [
	scale.levels.map(y => [
		makeSvg('line', { class: 'grid', x1: LEFT, x2: RIGHT, y1: scale.y(y), y2: scale.y(y) }),
		svgText(LEFT - 6, scale.y(y) + 4, 'end', `${threeDigits(y)} ×`),
	]),
	xs.map(x => svgText(scale.x(x), BOTTOM + 16, 'middle', nameOf(x))),
	svgText(4, 12, 'start', measure),
	svgText((LEFT + RIGHT) / 2, HEIGHT - 6, 'middle', unit),
];

const drawCurve = ({ name, tone, dash, points }, scale) =>
	makeSvg('polyline', {
		class: 'curve',
		'data-name': name,
		points: points.map(({ x, y }) => `${scale.x(x).toFixed(1)},${scale.y(y).toFixed(1)}`).join(' '),
		style: `stroke:var(--${tone})`,
		'stroke-dasharray': dash,
	});

const drawPoint = ({ name, tone }, { x, y, tip }, scale) =>
	makeSvg('circle', {
		cx: scale.x(x),
		cy: scale.y(y),
		r: 4,
		style: `fill:var(--${tone})`,
		'data-y': y,
		...tipListeners([name, ...tip]),
	});

export function legend(curves) {
	const item = ({ name, tone, dash }) => {
		const line = {
			x1: 0,
			x2: 34,
			y1: 5,
			y2: 5,
			class: 'curve',
			style: `stroke:var(--${tone})`,
			'stroke-dasharray': dash,
		};
		return make('li', {}, makeSvg('svg', { width: 34, height: 10 }, makeSvg('line', line)), ` ${name}`);
	};
	return make('ul', { class: 'legend' }, curves.map(item));
}
