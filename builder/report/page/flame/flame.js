/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation as a flame graph: from the top down each construct lies below those that created it, as wide as what
 * was executed in it and below it. From the bottom up constructs are as wide as what they executed themselves, and below each
 * lie those that created it.
 */
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { constructOf, kindOf, readCreation } from '../creation.js';
import { append, choice, color, details, hint, isActivation, make, root } from '../dom.js';
import { redraw } from '../redraw.js';
import { percent, some, time } from '../text.js';
import { hideTip, showTip } from '../tip.js';
import { bottomUp, depthOf, topDown } from './trees.js';

const DIRECTIONS = { down: 'total time: created from above', up: 'own time: created by what is below' };
const METRICS = { own_ns: 'time that was executed', path_ns: 'time on the critical path' };
const WIDTH_MIN = 200;
const CELL = 20; /* px */
const ANIMATION_MS = 200;

const labelled = (text, control) => make('label', {}, `${text} `, control);

/* What a frame stands for, in lines. */
function describe({ name, row, own, count, value }, total) {
	if (!row) return [name, time(value)];
	return some(
		row.name,
		row.file && `${row.file}:${row.line}`,
		`${time(value)} with all below: ${percent(value / total, 1)}`,
		own > 0 && `${time(own)} itself`,
		count > 0 && `${count} times`,
	);
}

/* Frames are elements of the library; d3's datum of one has the node of the tree as `data`. */
class Flame {
	#data;
	#view;
	#creation;
	#chart = null;
	#total = 0;
	#drawn = ''; /* what the chart was made for */
	#direction = choice('flame-direction', Object.entries(DIRECTIONS), { onchange: () => this.#draw() });
	#metric;
	#search = make('input', {
		id: 'flame-search',
		type: 'search',
		placeholder: 'find',
		'aria-label': 'Find constructs by name',
		oninput: () => this.#find(),
	});
	#resetButton = make('button', { id: 'flame-reset', type: 'button', text: 'all', onclick: () => this.#reset() });
	#place = make('div', {
		id: 'flame-chart',
		onkeydown: event => this.#press(event),
		ondblclick: event => this.#selectConstruct(event),
	});
	#details = details('flame-details');

	constructor(data, view, creation) {
		this.#data = data;
		this.#view = view;
		this.#creation = creation;
		const metrics = Object.entries(METRICS).slice(0, creation.hasPath ? 2 : 1);
		this.#metric = choice('flame-metric', metrics, { onchange: () => this.#draw() });
	}

	open(element) {
		const controls = [labelled('Show', this.#direction), labelled('of', this.#metric), this.#search, this.#resetButton];
		const left = this.#creation.n_rows - this.#creation.rows.length;
		append(
			element,
			hint(
				'Recursion is folded: a construct that creates itself lies there once. ' +
					'Click or Enter zooms; arrows go to neighbours.',
			),
			make('p', { class: 'choices' }, controls),
			this.#place,
			this.#details,
			left > 0 && hint(`${left} smaller paths are in spawn.csv only.`),
		);
		redraw(this.#place, this.#view, () => this.#draw());
	}

	get #frames() {
		return select(this.#place).selectAll('g.frame');
	}

	/* Another selected construct changes colours, all else makes a new chart. */
	#draw() {
		const width = Math.max(Math.floor(this.#place.clientWidth), WIDTH_MIN);
		const { theme } = root.dataset;
		const state = [this.#direction.value, this.#metric.value, width, theme].join();
		if (state === this.#drawn) {
			this.#frames.select('rect').attr('fill', frame => this.#fill(frame));
			return;
		}
		this.#drawn = state;
		this.#make(width);
	}

	#make(width) {
		const tree = this.#tree();
		this.#total = tree.value;
		this.#chart = flamegraph()
			.width(width)
			.cellHeight(CELL)
			.height(CELL * depthOf(tree) + 2)
			.transitionDuration(matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ANIMATION_MS)
			.minFrameSize(1)
			.inverted(true)
			.setColorMapper(frame => this.#fill(frame))
			.tooltip(this.#tooltip())
			.setSearchMatch(({ data }, term) => term !== '' && data.name.toLowerCase().includes(term.toLowerCase()))
			.onClick(frame => this.#showDetails(frame));
		this.#place.replaceChildren();
		select(this.#place).datum(tree).call(this.#chart);
		const label = `Flame graph: ${time(this.#total)}`;
		select(this.#place).select('svg').attr('role', 'group').attr('aria-label', label);
		if (this.#search.value !== '') this.#chart.search(this.#search.value);
		this.#finish();
		this.#decorate();
	}

	/* One root, which all others are below. */
	#tree() {
		const isDown = this.#direction.value === 'down';
		const roots = (isDown ? topDown : bottomUp)(this.#creation.rows, this.#metric.value);
		const value = roots.reduce((sum, root) => sum + root.value, 0);
		if (isDown && roots.length === 1) return { name: 'all', value, children: roots[0].children };
		return { name: `all ${isDown ? 'processes' : 'constructs'}`, value, children: roots };
	}

	/* The library calls its tooltip, and functions of it. */
	#tooltip() {
		const show = (event, { data }) => showTip(event, describe(data, this.#total));
		return Object.assign(() => {}, { show, hide: hideTip });
	}

	#fill({ data, highlight }) {
		const { construct } = this.#view;
		if (highlight) return color('found');
		if (!data.row || (construct !== null && data.row.key !== construct.key)) return color('kind-none');
		return color(`kind-${kindOf(data.name)}`);
	}

	/* Frames can be reached by keys, and screen readers name them. */
	#decorate() {
		const total = this.#total;
		this.#frames.each(function ({ data }) {
			this.setAttribute('tabindex', '0');
			this.setAttribute('role', 'button');
			this.setAttribute('aria-label', describe(data, total).join(', '));
		});
	}

	/* The library lets new frames grow while the page is seen. They are to be there at once, also when it is printed. */
	#finish() {
		this.#frames.each(function ({ data }) {
			this.querySelector('rect').setAttribute('width', this.getAttribute('width'));
			this.querySelector('.d3-flame-graph-label').textContent = data.name;
		});
	}

	#showDetails({ data }) {
		this.#details.textContent = describe(data, this.#total).join(' · ');
		setTimeout(() => this.#decorate());
	}

	#find() {
		this.#chart.search(this.#search.value);
		this.#decorate();
	}

	#reset() {
		this.#chart.resetZoom();
		this.#details.textContent = '';
	}

	#press(event) {
		const [frame, datum] = frameAt(event);
		if (!frame) return;
		const next = neighbour(datum, event.key);
		if (isActivation(event)) frame.dispatchEvent(new MouseEvent('click', { bubbles: true }));
		else if (event.key === 'Escape') this.#reset();
		else if (next) this.#focus(next);
		else return;
		event.preventDefault();
	}

	#focus(datum) {
		this.#frames
			.filter(other => other === datum)
			.node()
			?.focus();
	}

	#selectConstruct(event) {
		const [, datum] = frameAt(event);
		const construct = datum?.data.row && constructOf(this.#data, datum.data.row);
		if (construct) this.#view.select(construct);
	}
}

/* The frame in which an event happened, and its datum. */
function frameAt(event) {
	const frame = event.target.closest('g.frame');
	return [frame, frame && select(frame).datum()];
}

/* The datum of the frame that an arrow key selects; undefined or null: no frame in that direction. */
function neighbour(datum, key) {
	const { parent, children } = datum;
	const siblings = parent?.children ?? [];
	const i = siblings.indexOf(datum);
	const frames = { ArrowUp: parent, ArrowDown: children?.[0], ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1] };
	return frames[key];
}

export default {
	id: 'flame',
	title: 'Who created what',
	about: 'Which constructs created which, and the time executed on each of these paths',
	draw(element, data, view) {
		const creation = readCreation();
		if (creation === null || !creation.rows.some(row => row.own_ns > 0)) return false;
		new Flame(data, view, creation).open(element);
	},
};
