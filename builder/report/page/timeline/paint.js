/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws the time line on its canvas: the rows as pixels, names, the axis of time, and upon them the critical path, what is
 * selected, and arrows.
 */
import { drawArrows } from '../tasks/arrows.js';
import { keyOf } from '../data.js';
import { color } from '../dom.js';
import { coverage, isInLanes, shares } from '../lanes.js';
import { CLASSES, QUEUE_CLASSES } from '../states.js';
import { mark } from '../text.js';
import { rowName } from './describe.js';
import { AXIS, LEFT } from './layout.js';
import { paintLine, repeatLine } from './pixels.js';

const NAME = 14; /* the least height of a name, in px */
const STEP = 2; /* px of the critical path in a row, and */
const JOIN = 1; /* from one row to another */

function rgb(name) {
	const hex = color(name);
	return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
}

/* Draws everything on a canvas as wide as the layout. `shown` has
 *	laneTones	the names of the colours of constructs, by number; null: rows have the colours of states
 *	outlined	stretches {row, begin, end} that are selected, each with a frame
 *	arrows		as drawArrows() takes them */
export function paint(canvas, layout, data, view, { laneTones, outlined, arrows }) {
	const context = clear(canvas, layout);
	paintRows(context, layout, data, view, laneTones);
	context.fillStyle = color('text');
	paintBorders(context, layout);
	paintNames(context, layout);
	paintAxis(context, layout, view);
	context.save();
	context.beginPath();
	context.rect(LEFT, AXIS, layout.plotWidth, layout.height);
	context.clip();
	if (layout.hasPath) for (const process of data.processes) paintPath(context, layout, view, process);
	for (const stretch of outlined) paintFrame(context, layout, stretch);
	drawArrows(context, arrows, layout);
	context.restore();
}

/* The number of the display's pixels for one of CSS. */
const pixelRatio = () => devicePixelRatio || 1;

/* Returns the context, which draws in pixels of CSS. */
function clear(canvas, { width, height }) {
	const ratio = pixelRatio();
	const context = canvas.getContext('2d');
	canvas.width = width * ratio;
	canvas.height = height * ratio;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillStyle = color('back');
	context.fillRect(0, 0, width, height);
	return context;
}

function paintRows(context, layout, data, view, laneTones) {
	const ratio = pixelRatio();
	const width = Math.floor(layout.plotWidth * ratio);
	const height = Math.floor(layout.barHeight * ratio);
	const background = rgb('empty');
	const ofStates = CLASSES.map(({ name }) => rgb(name));
	const ofLanes = laneTones?.map(rgb);
	const strengthOf = highlightOf(data, view, width);
	for (const row of layout.rows) {
		const { lane, process, names } = row;
		const isLane = laneTones && lane;
		const tones = isLane
			? process.laneTones.map(i => ofLanes[i])
			: (names ? QUEUE_CLASSES : process.classes).map(i => ofStates[i]);
		const image = context.createImageData(width, height);
		const pixels = new Uint32Array(image.data.buffer);
		paintLine(isLane ? lane : row, tones, strengthOf(row), view, background, pixels.subarray(0, width));
		repeatLine(pixels, width);
		context.putImageData(image, LEFT * ratio, layout.top(row) * ratio);
	}
}

/* A function with the strength of a row's columns (paintLine()). Faint is what is not of the states that are highlighted; if
 * there are none, what is not of the selected construct. A construct that no lane has would make everything faint. */
function highlightOf(data, view, width) {
	const { construct, states } = view;
	if (states !== null)
		return row => (row.names ? null : shares(row, state => isOfClass(row.process, state, states), view, width));
	if (construct === null || !isInLanes(data, construct.key)) return () => null;
	return row => (row.lane ? coverage(row, construct.key, view, width) : null);
}

const isOfClass = (process, state, names) => names.includes(CLASSES[process.classes[state]]?.name);

/* A line between the rows of two processes. */
function paintBorders(context, layout) {
	const { rows, width } = layout;
	rows.forEach((row, i) => {
		if (i > 0 && rows[i - 1].process !== row.process) context.fillRect(0, layout.top(row) - 1, width, 1);
	});
}

/* Of rows that are too low for a name each, only every n-th has one. */
function paintNames(context, layout) {
	const every = Math.ceil(NAME / (layout.rowHeight + 1));
	context.font = '12px system-ui, sans-serif';
	context.textBaseline = 'middle';
	layout.rows.forEach((row, i) => {
		if (i % every === 0) context.fillText(rowName(row), 4, layout.middle(row), LEFT - 8);
	});
}

function paintAxis(context, layout, view) {
	const { times, step } = layout.marks();
	for (const t of times) {
		const x = layout.x(t);
		context.fillText(mark(t, step, view.end), x + 3, AXIS / 2);
		context.fillRect(x, 4, 1, AXIS - 6);
	}
}

/* The critical path in a process: its stretches, each joined with the one before, if that is shown, too. */
function paintPath(context, layout, view, process) {
	const tones = [color('path'), color('selected')];
	let last = null;
	for (const [place, from, length, construct] of process.path ?? []) {
		const begin = from + process.offset;
		const end = begin + length;
		const row = layout.threadRow(process, place);
		const isShown = row && end >= view.begin && begin <= view.end;
		const isSelected = view.construct?.key === keyOf(process.process, construct);
		context.strokeStyle = tones[Number(isSelected)];
		last = isShown ? paintStep(context, layout.x(begin), layout.x(end), layout.pathHeight(row), last) : null;
	}
}

/* One stretch, and a thinner line across the rows from the one before, where that was in another one. `last` is where that
 * ends, or null; returns where this one ends. */
function paintStep(context, begin, end, y, last) {
	if (last !== null) stroke(context, JOIN, last, [begin, y]);
	stroke(context, STEP, [begin, y], [Math.max(end, begin + 0.5), y]);
	return [end, y];
}

function stroke(context, width, from, to) {
	context.lineWidth = width;
	context.beginPath();
	context.moveTo(...from);
	context.lineTo(...to);
	context.stroke();
}

function paintFrame(context, layout, { row, begin, end }) {
	const x = layout.x(begin);
	context.strokeStyle = color('selected');
	context.lineWidth = 3;
	context.strokeRect(x, layout.top(row), Math.max(layout.x(end) - x, 2), layout.rowHeight);
}
