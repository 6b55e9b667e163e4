/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pans and zooms a drawing by its viewBox: the wheel with Ctrl and keys zoom, dragging and arrows pan.
 */
import { hasModifier, listen, listenToWheel, press } from '../dom.js';

const KEY = 1.4; /* how many times as much a key or a button zooms */
const WHEEL = 1.2;
const CLICK = 4; /* px that the mouse may move during a click */
const CLOSEST = 0.02; /* of the whole width */
const FARTHEST = 1.5;

export class PanZoom {
	#svg;
	#whole;
	#shown;

	/* `whole`: [left, top, width, height] of the drawing. */
	constructor(svg, whole) {
		this.#svg = svg;
		this.#whole = whole;
		this.reset();
		this.#listenToWheel();
		this.#listenToDrag();
		this.#listenToKeys();
	}

	zoomIn() {
		this.#zoom(1 / KEY);
	}

	zoomOut() {
		this.#zoom(KEY);
	}

	reset() {
		this.#show(this.#whole);
	}

	#show(rectangle) {
		this.#shown = rectangle;
		this.#svg.setAttribute('viewBox', rectangle.join(' '));
	}

	/* Makes the shown rectangle `factor` times as large, with the point {x, y} at the same place. */
	#zoom(factor, point = this.#middle()) {
		const [x, y, width, height] = this.#shown;
		const [, , whole] = this.#whole;
		const f = Math.min(Math.max(factor, (CLOSEST * whole) / width), (whole * FARTHEST) / width);
		this.#show([point.x - (point.x - x) * f, point.y - (point.y - y) * f, width * f, height * f]);
	}

	#middle() {
		const [x, y, width, height] = this.#shown;
		return { x: x + width / 2, y: y + height / 2 };
	}

	#panBy(dx, dy) {
		const [x, y, width, height] = this.#shown;
		this.#show([x + dx, y + dy, width, height]);
	}

	/* The point of the drawing below the mouse. */
	#point(event) {
		return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.#svg.getScreenCTM().inverse());
	}

	#listenToWheel() {
		listenToWheel(this.#svg, event => {
			if (!event.ctrlKey) return;
			this.#zoom(event.deltaY > 0 ? WHEEL : 1 / WHEEL, this.#point(event));
			event.preventDefault();
		});
	}

	#listenToDrag() {
		let pressed = null; /* the event, and the point of the drawing that stays below the mouse */
		let isMoved = false;
		const pointerdown = event => {
			pressed = { event, point: this.#point(event) };
			isMoved = false;
		};
		const pointermove = event => {
			if (pressed === null || event.buttons === 0) return;
			const [dx, dy] = [event.clientX - pressed.event.clientX, event.clientY - pressed.event.clientY];
			isMoved ||= Math.hypot(dx, dy) > CLICK;
			if (!isMoved) return;
			const { x, y } = this.#point(event);
			this.#panBy(pressed.point.x - x, pressed.point.y - y);
		};
		const pointerup = () => {
			pressed = null;
		};
		listen(this.#svg, { pointerdown, pointermove, pointerup });
		/* The end of a drag opens nothing. */
		this.#svg.addEventListener('click', event => isMoved && event.stopPropagation(), true);
	}

	#listenToKeys() {
		const step = (x, y) => () => this.#panBy((x * this.#shown[2]) / 8, (y * this.#shown[3]) / 8);
		const keys = {
			'+': () => this.zoomIn(),
			'=': () => this.zoomIn(),
			'-': () => this.zoomOut(),
			0: () => this.reset(),
			ArrowLeft: step(-1, 0),
			ArrowRight: step(1, 0),
			ArrowUp: step(0, -1),
			ArrowDown: step(0, 1),
		};
		this.#svg.addEventListener('keydown', event => hasModifier(event) || press(event, keys));
	}
}
