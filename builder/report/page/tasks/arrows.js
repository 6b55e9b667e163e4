/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The relations of a single task as arrows on the time line.
 */
import { color } from '../dom.js';

const MOST = 30; /* of one kind */
const HEAD = 9; /* px */
const BEND = 14; /* px that an arrow within one row rises */

export const ARROWS = [
	{ name: 'created', title: 'created by', tone: 'a0', dash: [], line: 'solid' },
	{ name: 'before', title: 'it waited for', tone: 'a1', dash: [7, 3], line: 'dashed' },
	{ name: 'after', title: 'waited for it', tone: 'a2', dash: [2, 3], line: 'dotted' },
];

/* ---- Which arrows there are ---- */

/* Those of a single task: [{kind, from: {row, t}, to: {row, t}, isChain}]. */
export function arrowsOf(tasks, single) {
	const { relations } = tasks;
	const created = single.create_ns >= 0 ? single.create_ns : single.begin_ns;
	const lists = [
		[relations.creator(single)]
			.filter(Boolean)
			.map(creator => arrow(tasks, 'created', [creator, created], [single, single.begin_ns])),
		relations
			.before(single)
			.slice(0, MOST)
			.map(other => arrow(tasks, 'before', [other, other.end_ns], [single, resumption(tasks, single, other)])),
		relations
			.after(single)
			.slice(0, MOST)
			.map(other => arrow(tasks, 'after', [single, single.end_ns], [other, release(tasks, other, single)])),
		relations
			.chain(single)
			.slice(0, -1)
			.map(({ kind, from, ns, to }) => arrow(tasks, kind, [from, Math.max(ns, 0)], [to, to.begin_ns], true)),
	];
	return lists.flat().filter(({ from, to }) => from.row && to.row);
}

/* `from` and `to` are [single, time in its process]. */
function arrow(tasks, kind, from, to, isChain = false) {
	const end = ([single, ns]) => {
		const t = ns + tasks.offset(single);
		return { row: tasks.rowAt(single, t), t };
	};
	return { kind, from: end(from), to: end(to), isChain };
}

/* When a task continued after it had waited for another one: its first stretch that begins after that one's end. */
function resumption(tasks, waiting, awaited) {
	const begins = tasks.stretches(waiting).map(stretch => stretch.begin - tasks.offset(waiting));
	return begins.find(begin => begin >= awaited.end_ns) ?? waiting.end_ns;
}

/* The same for a task that may have waited before its begin. */
const release = (tasks, waiting, awaited) =>
	waiting.begin_ns >= awaited.end_ns ? waiting.begin_ns : resumption(tasks, waiting, awaited);

/* ---- Drawing ---- */

/* `layout`: of the time line. */
export function drawArrows(context, arrows, layout) {
	for (const { kind, from, to, isChain } of arrows) {
		const { tone, dash } = ARROWS.find(a => a.name === kind);
		const [x0, y0, x1, y1] = [layout.x(from.t), layout.middle(from.row), layout.x(to.t), layout.middle(to.row)];
		const bend = y0 === y1 ? BEND : 0;
		const middle = (x0 + x1) / 2;
		const curve = [x0, y0, middle, y0 - bend, middle, y1 - bend, x1, y1];
		drawCurve(context, curve, 'back', isChain ? 4 : 6, []); /* an edge, to see it on any colour */
		drawCurve(context, curve, tone, isChain ? 1.5 : 2.5, dash);
		drawHead(context, x1, y1, Math.atan2(y1 - y0 + bend, x1 - middle || 1));
	}
}

function drawCurve(context, [x, y, ...curve], tone, width, dash) {
	context.strokeStyle = context.fillStyle = color(tone);
	context.lineWidth = width;
	context.setLineDash(dash);
	context.beginPath();
	context.moveTo(x, y);
	context.bezierCurveTo(...curve);
	context.stroke();
	context.setLineDash([]);
}

function drawHead(context, x, y, angle) {
	context.beginPath();
	context.moveTo(x, y);
	for (const side of [angle - 0.4, angle + 0.4]) context.lineTo(x - HEAD * Math.cos(side), y - HEAD * Math.sin(side));
	context.fill();
}
