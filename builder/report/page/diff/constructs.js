/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The constructs of two sides, by one of their figures: what changed most comes first.
 */
import { choice, make } from '../dom.js';
import { cell, filterInput, head, matcher, table } from '../table.js';
import { plural, time } from '../text.js';
import { cells, MATCHES } from './cells.js';
import { pathsButton } from './paths.js';
import { nameOf } from './words.js';

const SHOWN = 200;
const FIGURES = { own_ns: 'executed', blamed_ns: 'blamed for', wait_ns: 'waiting', count: 'count' };

const HEADS = [
	['construct', 'its kind and its place in the source'],
	['match', 'whether it is new, gone or moved'],
	['A', 'the median of the runs of side A, with the range'],
	['B', 'the median of the runs of side B, with the range'],
	['change', 'from A to B; marked where it is more than noise'],
	['A and B', 'both medians as bars'],
];

class Constructs {
	#rows;
	#open = new Set(); /* rows whose paths are shown, whatever the figure */
	#figure = choice('diff-figure', Object.entries(FIGURES), { oninput: () => this.#list() });
	#only = make('input', { type: 'checkbox', id: 'diff-changed', checked: '', oninput: () => this.#list() });
	#filter = filterInput(() => this.#list());
	#place = make('div');
	#count = make('p', { class: 'hint', id: 'diff-shown', role: 'status' });

	constructor(rows) {
		this.#rows = rows;
	}

	open(element) {
		const controls = [
			make('label', {}, 'Figure ', this.#figure),
			make('label', {}, this.#only, ' only what differs'),
			this.#filter,
		];
		element.append(make('p', { class: 'choices' }, controls), this.#place, this.#count);
		this.#list();
	}

	#list() {
		const figure = this.#figure.value;
		const rows = this.#matching(figure);
		const largest = Math.max(...rows.map(row => Math.max(row[figure].a.median, row[figure].b.median)), 1);
		const shown = { figure, text: figure === 'count' ? String : time, largest };
		const made = rows.slice(0, SHOWN).map(row => this.#row(row, shown));
		const heads = HEADS.map(([text, about], i) => head(text, i > 1 && i < 5, about));
		const body = make(
			'tbody',
			{},
			made.map(({ element }) => element),
		);
		const attributes = { id: 'diff-table', 'aria-label': 'Constructs of both sides' };
		this.#place.replaceChildren(table(attributes, heads, body));
		for (const { row, paths } of made) if (this.#open.has(row)) paths.show(true);
		this.#count.textContent = this.#countText(rows.length);
	}

	/* The rows that the reader wants, what changed most first. */
	#matching(figure) {
		const matches = matcher(this.#filter.value);
		const isDifferent = row => row[figure].changed || row.match !== 'same';
		const textOf = place => (place ? `${place.label} ${place.file} ${place.function}` : '');
		return this.#rows
			.filter(row => !this.#only.checked || isDifferent(row))
			.filter(row => matches(`${textOf(row.a)}\n${textOf(row.b)}`))
			.sort((x, y) => Math.abs(y[figure].difference) - Math.abs(x[figure].difference));
	}

	#row(row, shown) {
		const place = row.b ?? row.a;
		const paths = row.paths?.length > 0 ? pathsButton(row, shown, this.#open) : null;
		const source = text => make('span', { class: 'source', text });
		const name = make(
			'td',
			{},
			nameOf(place),
			paths && [' ', paths.button],
			row.match === 'moved' && source(`in A ${nameOf(row.a)}`),
			place.function && source(place.function),
		);
		const attributes = { 'data-match': row.match, 'data-changed': String(row[shown.figure].changed) };
		const element = make('tr', attributes, name, cell(MATCHES[row.match]), cells(row, shown));
		return { row, paths, element };
	}

	#countText(n) {
		const first = n > SHOWN ? `The first ${SHOWN} of ` : '';
		const which = this.#only.checked ? ' new, gone, moved or changed' : '';
		return (
			`${first}${plural(n, 'construct')}${which} of ${this.#rows.length}. ` +
			'A mark stands where a change is larger than noise, or, of single runs, than the threshold.'
		);
	}
}

export default {
	id: 'constructs',
	title: 'Constructs',
	about: 'The constructs of both sides, and how their times and counts differ',
	draw(element, { comparison }) {
		if (!comparison) return false;
		new Constructs(comparison.constructs).open(element);
	},
};
