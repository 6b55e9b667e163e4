/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the mouse does on the canvas of the time line: the wheel zooms, and moves with Shift or sideways; dragging moves; a
 * click selects an interval, a double-click shows everything; and where the mouse rests, a tip describes the interval.
 */
import { listen, listenToWheel } from '../dom.js';
import { hideTip, showTip } from '../tip.js';
import { describe } from './describe.js';
import { hit, intervalAt } from './hit.js';
import { LEFT } from './layout.js';

const CLICK = 3; /* px that the mouse may move during a click */

/* `select` is called with the row, which may be undefined, and the time of a click. */
export function listenToPointer(canvas, data, view, layout, select) {
	let drag = null; /* where the mouse was pressed, and what the view was then */
	const pointerdown = event => {
		drag = { x: event.offsetX, begin: view.begin, end: view.end };
		canvas.setPointerCapture(event.pointerId);
	};
	const pointerup = event => {
		const { row, t } = hit(event, layout, view);
		if (drag !== null && Math.abs(drag.x - event.offsetX) < CLICK) select(row, t);
		drag = null;
	};
	const pointermove = event => {
		if (drag !== null) moveBy(drag, event, view);
		else describeAt(hit(event, layout, view), event, data);
	};
	listen(canvas, { pointerdown, pointerup, pointermove, pointerleave: hideTip, dblclick: () => view.reset() });
	listenToWheel(canvas, event => turnWheel(event, view, hit(event, layout, view).t));
}

function turnWheel(event, view, t) {
	const { deltaX, deltaY, shiftKey } = event;
	event.preventDefault();
	if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) view.pan((deltaX + (shiftKey ? deltaY : 0)) / 1000);
	else view.zoom(Math.exp(deltaY / 400), t);
}

function moveBy(drag, event, view) {
	const share = (drag.x - event.offsetX) / (event.target.clientWidth - LEFT);
	const by = share * (drag.end - drag.begin);
	view.show(drag.begin + by, drag.end + by);
}

function describeAt({ row, t }, event, data) {
	const interval = row === undefined ? null : intervalAt(row, t);
	if (interval === null) hideTip();
	else showTip(event, describe(data, interval, t));
}
