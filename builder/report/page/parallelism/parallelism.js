/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Over time, the number of threads in each class of states, stacked, the number of ready tasks, and the number of threads in
 * the selected construct. Dragging over the chart zooms the whole page.
 */
import uPlot from 'uplot';
import { color, hint, image, make, root } from '../dom.js';
import { threadsIn } from '../lanes.js';
import { redraw } from '../redraw.js';
import { capital, mark, nounsOfAll, overTime } from '../text.js';
import { LEFT, marksOf } from '../timeline/layout.js';
import { timeKey } from '../view.js';
import { binsOf } from './bins.js';

const HEIGHT = 190;
const WIDTH_MIN = 300;
const LABEL = 16; /* px of the name of an axis */
const ABOUT =
	'Drag to zoom into a stretch of time; double-click shows all of it again. A click on a state hides it, and leaves its place empty.';
const DRAG = 3; /* px that a drag must be longer than */

const steps = uPlot.paths.stepped({ align: 1 });

/* A layer from the curve `below` up to its own, in steps. It is filled no further down, so that a layer that is hidden leaves
 * its place empty, and does not have the colour of the one above it. */
const layerOn = below => (plot, index, first, last) => {
	const times = plot.data[0];
	const above = plot.data[index];
	const x = i => plot.valToPos(times[i], 'x', true);
	const y = (curve, i) => plot.valToPos(curve[i], 'y', true);
	const fill = new Path2D();
	for (let i = first; i < last; i++) {
		fill.lineTo(x(i), y(above, i));
		fill.lineTo(x(i + 1), y(above, i));
	}
	for (let i = last - 1; i >= first; i--) {
		fill.lineTo(x(i + 1), y(below, i));
		fill.lineTo(x(i), y(below, i));
	}
	fill.closePath();
	return { stroke: null, fill, clip: null, band: null, gaps: null, flags: 0 };
};

const fromZero = (_, _min, max) => [0, Math.max(max, 1)];
const twoDigits = v => v?.toFixed(2) ?? '';

/* A line in steps. */
const line = options => ({ paths: steps, points: { show: false }, ...options });

class Chart {
	#data;
	#view;
	#bins;
	#words;
	#plot = null;
	#drawn = ''; /* what the plot was made for */
	#isScaling = false;
	#hidden = new Set(); /* titles of the series that the reader hid, which a new plot hides as well */
	#box;

	constructor(data, view, bins) {
		this.#data = data;
		this.#view = view;
		this.#bins = bins;
		this.#words = nounsOfAll(data.summary);
		this.#box = make('div', {
			class: 'chart',
			tabindex: '0',
			onkeydown: event => timeKey(view, event),
			...image(
				`${capital(this.#words.threads)} by state over time: ${bins.layers.map(layer => layer.title).join(', ')}`,
			),
		});
	}

	open(element) {
		element.append(this.#box, hint(ABOUT));
		redraw(this.#box, this.#view, () => this.#draw());
	}

	/* Another stretch of time is a new scale, all else a new plot. */
	#draw() {
		const { begin, end, construct } = this.#view;
		const state = [this.#box.clientWidth, root.dataset.theme, construct?.key].join();
		if (state !== this.#drawn) {
			this.#drawn = state;
			this.#make();
		} else {
			this.#isScaling = true;
			this.#plot.setScale('x', { min: begin, max: end });
			this.#isScaling = false;
		}
	}

	#make() {
		const { n } = this.#bins;
		const { construct } = this.#view;
		const inside = construct === null ? null : threadsIn(this.#data, construct.key, this.#data, n);
		this.#plot?.destroy();
		this.#plot = new uPlot(this.#options(), this.#columns(inside), this.#box);
		this.#plot.over.addEventListener('dblclick', () => this.#view.reset());
		this.#box.dataset.inside = inside ? String(inside.reduce((sum, v) => sum + v, 0) / n) : ''; /* for tests */
	}

	get #width() {
		return Math.max(this.#box.clientWidth, WIDTH_MIN);
	}

	#options() {
		return {
			width: this.#width,
			height: HEIGHT,
			padding: [8, 0, 0, 0] /* the axis of time ends where that of the time line does */,
			cursor: { drag: { x: true, y: false, setScale: false } },
			legend: { live: true },
			scales: {
				x: { time: false, range: () => [this.#view.begin, this.#view.end] },
				y: { range: fromZero },
				ready: { range: fromZero },
			},
			axes: this.#axes(),
			series: this.#series().map(series => ({ ...series, show: !this.#hidden.has(series.label) })),
			hooks: { setSelect: [plot => this.#select(plot)], setSeries: [(plot, i) => this.#keepHidden(plot, i)] },
		};
	}

	#axes() {
		const axis = { stroke: color('text'), grid: { stroke: color('line'), width: 1 }, ticks: { stroke: color('line') } };
		const marks = () => marksOf(this.#view, this.#width - LEFT);
		const names = times => times.map(t => mark(t, marks().step, this.#view.end));
		/* Both on the left, and together as wide as the names of the time line. */
		const beside = { ...axis, size: LEFT / 2 - LABEL, labelSize: LABEL, labelGap: 0, gap: 2 };
		return [
			{ ...axis, splits: () => marks().times, values: (_, times) => names(times) },
			{ ...beside, label: this.#words.threads },
			{ ...beside, scale: 'ready', grid: { show: false }, label: `ready ${this.#words.tasks}` },
		];
	}

	/* The highest layer comes first, as in the chart. */
	#series() {
		const { layers, n } = this.#bins;
		const { construct } = this.#view;
		const stacked = this.#stack();
		const layer = ({ name, title, sums }, i) => {
			const value = (_, _sum, _series, bin) => (bin === null ? '' : twoDigits(sums[Math.min(bin, n - 1)]));
			const below = i > 0 ? stacked[i - 1] : new Float64Array(n);
			return line({ label: title, fill: color(name), width: 0, value, paths: layerOn(below) });
		};
		const ready = {
			label: `ready ${this.#words.tasks}`,
			scale: 'ready',
			stroke: color('text'),
			width: 1,
			dash: [4, 3],
		};
		return [
			{ label: 'time', value: (_, t) => (t === null ? '' : `${(t / 1e9).toFixed(6)} s`) },
			...layers.map(layer).reverse(),
			line(ready),
			...(construct === null
				? []
				: [
						line({
							label: `in ${construct.label}`,
							stroke: color('selected'),
							width: 2,
							value: (_, v) => twoDigits(v),
						}),
					]),
		];
	}

	/* The sums of the layers up to each one, from the bottom to the top. */
	#stack() {
		const { n, layers } = this.#bins;
		const sum = new Float64Array(n);
		return layers.map(({ sums }) => {
			sums.forEach((threads, i) => {
				sum[i] += threads;
			});
			return [...sum];
		});
	}

	/* The values of all series: steps need the last one twice, at the end of its bin. */
	#columns(inside) {
		const { n, times, ready } = this.#bins;
		const columns = [...this.#stack().reverse(), ready, ...(inside ? [inside] : [])];
		return [times, ...columns.map(list => [...list, list[n - 1]])];
	}

	/* The mouse over a series is such an event as well, without a number. */
	#keepHidden(plot, i) {
		if (i === null) return;
		const { label, show } = plot.series[i];
		if (show) this.#hidden.delete(label);
		else this.#hidden.add(label);
	}

	/* The stretch of time that was dragged over. */
	#select(plot) {
		const { left, width } = plot.select;
		if (width > DRAG && !this.#isScaling) this.#view.show(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
		plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
	}
}

export default {
	id: 'parallelism',
	title: data => overTime(data.summary),
	about: 'How many threads were in which state at each time, and how many tasks were ready',
	draw(element, data, view) {
		const bins = binsOf(data);
		if (bins.n === 0 || bins.layers.length === 0) return false;
		new Chart(data, view, bins).open(element);
	},
};
