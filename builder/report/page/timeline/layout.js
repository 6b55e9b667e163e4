/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where rows and times are on the canvas of the time line, in CSS pixels: names on the left, an axis of time above, and
 * below it the rows, all of the same height.
 */
export const LEFT = 110; /* also of the chart of threads over time, so that both show a time at the same place */
export const AXIS = 24;
const ROW_MAX = 32;
const ROW_MIN = 5;
const VISIBLE = 560; /* what all rows may take before they become as low as ROW_MIN */
const PATH = 5; /* what the critical path takes of the lower end of a row that is at least */
const PATH_ROW = 12; /* as high as this */
const MARK = 110; /* the least between two marks of the axis */

export class Layout {
	#view;
	#indices;
	#byPlace;
	hasPath = false; /* whether the critical path is drawn */

	constructor(data, rows, view) {
		this.#view = view;
		this.rows = rows;
		this.rowHeight = Math.max(ROW_MIN, Math.min(ROW_MAX, Math.floor(VISIBLE / rows.length)));
		this.height = AXIS + rows.length * (this.rowHeight + 1);
		this.width = 0; /* set before anything is drawn */
		this.#indices = new Map(rows.map((row, i) => [row, i]));
		this.#byPlace = new Map(data.processes.map(p => [p, new Map(p.rows.map(row => [row.place, row]))]));
	}

	/* Without the names. */
	get plotWidth() {
		return this.width - LEFT;
	}

	x(time) {
		const { begin, end } = this.#view;
		return LEFT + ((time - begin) / (end - begin)) * this.plotWidth;
	}

	top(row) {
		return AXIS + this.#indices.get(row) * (this.rowHeight + 1);
	}

	middle(row) {
		return this.top(row) + this.rowHeight / 2;
	}

	/* What the states and constructs take of a row. */
	get barHeight() {
		return this.hasPath && this.rowHeight >= PATH_ROW ? this.rowHeight - PATH : this.rowHeight;
	}

	/* Below them, at the lower end of the row. */
	pathHeight(row) {
		return this.top(row) + this.rowHeight - 1.5;
	}

	/* The row of the thread with this index in its process; undefined if it has none. A folded process has one row for all. */
	threadRow(process, place) {
		return process.folded ? process.rows[0] : this.#byPlace.get(process).get(place);
	}

	/* The row at this height; undefined outside of the rows. */
	rowAt(y) {
		return this.rows[Math.floor((y - AXIS) / (this.rowHeight + 1))];
	}

	marks() {
		return marksOf(this.#view, this.plotWidth);
	}
}

/* The times that an axis of this width marks, and how far they are apart. */
export function marksOf({ begin, end }, width) {
	const least = (end - begin) / Math.max(width / MARK, 1);
	const power = 10 ** Math.floor(Math.log10(least));
	const step = power * [1, 2, 5, 10].find(k => k * power >= least);
	const times = [];
	for (let time = Math.ceil(begin / step) * step; time <= end; time += step) times.push(time);
	return { times, step };
}
