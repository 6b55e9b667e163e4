/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The constructs with their figures: sorted by a click on a column, filtered by what is typed, selected by a click on a row.
 */
import { button, isActivation, make } from '../dom.js';
import { redraw } from '../redraw.js';
import { filterInput, head, matcher, table } from '../table.js';
import { time } from '../text.js';
import { boxplot, quantiles } from './boxplot.js';
import { columnsOf, restsOf } from './columns.js';

const SHOWN = 200;
const BOXES =
	'the time executed in a single one of its tasks: the line goes from the least to the largest, the box has the middle half, ' +
	'and the mark is the median. The scale is the same in all rows, and logarithmic';

class Constructs {
	#data;
	#view;
	#columns;
	#scale; /* of own times */
	#sorted = null; /* a column */
	#isDown = true;
	#heads;
	#filter = filterInput(() => this.#list());
	#body = make('tbody');
	#count = make('p', { class: 'hint', id: 'constructs-shown' });

	constructor(data, view) {
		this.#data = data;
		this.#view = view;
		this.#columns = columnsOf(data);
		this.#scale = scaleOf(data.constructs);
		this.#heads = this.#columns.map(column => this.#head(column));
	}

	open(element) {
		const scale = this.#scale ? `, ${time(this.#scale.first)} to ${time(this.#scale.end)} (log)` : '';
		const heads = [...this.#heads, head(`times of one${scale}`, false, BOXES)];
		const rests = make('p', { class: 'hint', id: 'constructs-rest', text: restsOf(this.#data) });
		element.append(this.#filter, table({ id: 'constructs-table' }, heads, this.#body), this.#count, rests);
		this.#list();
		redraw(element, this.#view, () => this.#markSelected());
	}

	#head(column) {
		const element = head('', column.isNumber, column.about);
		element.setAttribute('aria-sort', 'none');
		element.append(button(column.name, () => this.#sort(column)));
		return element;
	}

	/* Sorts by a column, or turns the order. Numbers begin with the largest. */
	#sort(column) {
		this.#isDown = this.#sorted === column ? !this.#isDown : column.isNumber;
		this.#sorted = column;
		const order = this.#isDown ? 'descending' : 'ascending';
		this.#heads.forEach((element, i) =>
			element.setAttribute('aria-sort', this.#columns[i] === column ? order : 'none'),
		);
		this.#list();
	}

	#list() {
		const matches = matcher(this.#filter.value);
		const rows = this.#data.constructs.filter(c => matches(`${c.label} ${c.function} ${c.file} ${c.kind}`));
		if (this.#sorted !== null) rows.sort((a, b) => compare(this.#sorted.value(a), this.#sorted.value(b), this.#isDown));
		this.#body.replaceChildren(...rows.slice(0, SHOWN).map(row => this.#row(row)));
		this.#count.textContent =
			rows.length > SHOWN
				? `The first ${SHOWN} of ${rows.length}; filter to see others, constructs.csv has all.`
				: `${rows.length} constructs.`;
	}

	#row(construct) {
		const select = () => this.#view.select(construct);
		const attributes = {
			tabindex: '0',
			'data-key': construct.key,
			'aria-selected': String(this.#isSelected(construct.key)),
			onclick: select,
			onkeydown: event => isActivation(event) && select(),
		};
		const times = construct.own_times_ns;
		const cells = this.#columns.map(column => this.#cell(column, construct));
		return make(
			'tr',
			attributes,
			cells,
			make('td', { title: times && quantiles(times) }, times && boxplot(times, this.#scale)),
		);
	}

	/* The name has its place in the source as a title, and the line of the source below. */
	#cell({ name, text, isNumber }, construct) {
		const { file, line, source } = construct;
		const isName = name === 'construct';
		return make(
			'td',
			{ class: isNumber ? 'number' : '' },
			make('span', { text: text(construct), title: isName ? `${file}:${line}` : null }),
			isName && source && make('code', { class: 'source', text: source }),
		);
	}

	#markSelected() {
		for (const row of this.#body.children) row.setAttribute('aria-selected', String(this.#isSelected(row.dataset.key)));
	}

	#isSelected(key) {
		return this.#view.construct?.key === key;
	}
}

/* From the least to the largest time of one task; null: none is known. */
function scaleOf(constructs) {
	const first = Math.min(...constructs.map(c => c.own_times_ns?.[0] ?? Infinity).map(ns => Math.max(ns, 1)));
	const end = Math.max(...constructs.map(c => c.own_times_ns?.[6] ?? 0));
	return Number.isFinite(first) ? { first, end: Math.max(end, 2 * first) } : null;
}

function compare(a, b, isDown) {
	const order = Number(a > b) - Number(a < b);
	return isDown ? -order : order;
}

export default {
	id: 'constructs',
	title: 'Constructs',
	about: 'The parallel regions, loops, tasks and other constructs of the program, with their times',
	draw(element, data, view) {
		if (data.constructs.length === 0) return false;
		new Constructs(data, view).open(element);
	},
};
