/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Charts of curves over a number, both on logarithmic axes, with their legend: what would be if, and how runs scale.
 */
import { hideTip, make, makeSvg, showTip } from './dom.js';

const WIDTH = 620, HEIGHT = 300, LEFT = 46, RIGHT = 26, TOP = 12, BOTTOM = 40;
export const TONES = ['work', 'tasks', 'mutex', 'overhead', 'target', 'blocked'];
export const DASHES = ['', '7 4', '2 3', '9 3 2 3', '4 2 4 6', '1 5'];

/* A chart of curves over the logarithm of x: {name, tone, dash, points: [{x, y, tip}]}. */
export function chart(curves, { id, label, unit, xs, mark }) {
	const points = curves.flatMap(curve => curve.points), low = Math.log2(Math.min(...xs)), high = Math.log2(Math.max(...xs));
	const most = Math.max(1.1, ...points.map(point => point.y)), least = Math.min(1, ...points.map(point => point.y));
	const at = x => LEFT + (high > low ? (Math.log2(x) - low) / (high - low) : 0.5) * (WIDTH - LEFT - RIGHT);
	const up = y => HEIGHT - BOTTOM - (Math.log2(y) - Math.log2(least)) / (Math.log2(most) - Math.log2(least)) * (HEIGHT - TOP - BOTTOM);
	const steps = [];
	for (let y = 2 ** Math.ceil(Math.log2(least)); y <= most; y *= most / least > 64 ? 4 : most / least > 4 ? 2 : Math.SQRT2)
		steps.push(y);
	const number = y => y >= 100 ? y.toFixed(0) : y >= 10 ? y.toFixed(1) : y.toFixed(2);
	return makeSvg('svg', { class: 'scatter', id, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label }, [
		...steps.flatMap(y => [makeSvg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: up(y), y2: up(y) }),
			makeSvg('text', { x: LEFT - 6, y: up(y) + 4, 'text-anchor': 'end', text: number(y) + ' ×' })]),
		...xs.map(x => makeSvg('text', { x: at(x), y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle', text: String(x) })),
		makeSvg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle', text: unit }),
		...mark !== undefined ? [makeSvg('line', { class: 'cost', x1: at(mark), x2: at(mark), y1: TOP, y2: HEIGHT - BOTTOM })] : [],
		...curves.map(curve => makeSvg('polyline', { class: 'curve', 'data-name': curve.name, points: curve.points.map(p => at(p.x).toFixed(1) + ',' + up(p.y).toFixed(1)).join(' '),
			style: 'stroke:var(--' + curve.tone + ')', 'stroke-dasharray': curve.dash })),
		...curves.flatMap(curve => curve.points.map(p => makeSvg('circle', { cx: at(p.x), cy: up(p.y), r: 4, style: 'fill:var(--' + curve.tone + ')', 'data-y': p.y,
			onmousemove: event => showTip(event, [curve.name, ...p.tip]), onmouseleave: hideTip }))),
	]);
}

export const legend = curves => make('ul', { class: 'legend' }, curves.map(curve => make('li', {}, [
	makeSvg('svg', { width: 34, height: 10 }, [makeSvg('line', { x1: 0, x2: 34, y1: 5, y2: 5, class: 'curve', style: 'stroke:var(--' + curve.tone + ')', 'stroke-dasharray': curve.dash })]),
	document.createTextNode(' ' + curve.name)])));
