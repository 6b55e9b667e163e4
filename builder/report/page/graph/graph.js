/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph by construct and path of creation. The whole graph lies as the builder has laid it out, or, where it could not,
 * as dagre does. What is opened is laid out by dagre: a construct with its largest tasks and its neighbours, and a single
 * task with what it waited for and what waited for it.
 */
import { constructOf, readCreation } from '../creation.js';
import { button, choice, details, hint, make, replace } from '../dom.js';
import { percent } from '../text.js';
import { hideTip } from '../tip.js';
import { groupBox, shorten, singleBox } from './boxes.js';
import { draw } from './draw.js';
import { groupGraph, singleGraph, wholeGraph } from './scopes.js';

const TRAIL = 5; /* the most steps */

class Graph {
	#data;
	#view;
	#creation;
	#drawing = null; /* a PanZoom */
	#trail = []; /* what was opened, one from the other: {name, lines, group or single} */
	#processes;
	#process;
	#place = make('div', { id: 'graph-place' });
	#controls = make('p', { class: 'choices', id: 'graph-way' });
	#details = details('graph-details');

	constructor(data, view, creation) {
		this.#data = data;
		this.#view = view;
		this.#creation = creation;
		this.#processes = [...new Set(creation.groups.map(group => group.process))];
		this.#process = choice(
			'graph-process',
			this.#processes.map(p => [p, `process ${p}`]),
			{ 'aria-label': 'Process', onchange: () => this.#show([]) },
		);
		const ofAnswer = data.summary.answer?.process;
		if (this.#processes.includes(ofAnswer)) this.#process.value = ofAnswer;
	}

	open(element) {
		const singles = this.#creation.singles.length > 0 ? ', down to single tasks' : '';
		element.append(
			hint(
				'A box is a construct on one path of creation, as high as its share of the work; edges of the same ends are one. ' +
					`Click or Enter opens it${singles}. Drag to move; Ctrl and the wheel, + and - zoom.`,
			),
			this.#controls,
			this.#place,
			this.#details,
		);
		this.#show([]);
		this.#view.listen(() => this.#markSelected());
	}

	/* Shows the last step of this trail; the whole graph, if there is none. */
	#show(trail) {
		const graph = this.#graph(trail.at(-1));
		this.#trail = trail;
		replace(
			this.#controls,
			this.#processes.length > 1 && this.#process,
			button('whole graph', () => this.#show([]), { id: 'graph-all' }),
			trail.map((step, i) => button(`› ${step.name}`, () => this.#show(trail.slice(0, i + 1)))),
			button('+', () => this.#drawing.zoomIn(), { 'aria-label': 'Zoom in' }),
			button('−', () => this.#drawing.zoomOut(), { 'aria-label': 'Zoom out' }),
			button('fit', () => this.#drawing.reset()),
		);
		hideTip();
		this.#drawing = draw(graph, this.#place);
		this.#markSelected();
		this.#details.textContent = this.#describe(graph, trail.at(-1));
	}

	#graph(step) {
		const openGroup = group => this.#openGroup(group);
		const openSingle = single => this.#openSingle(single);
		if (!step) return wholeGraph(this.#creation, Number(this.#process.value), openGroup);
		if (step.single) return singleGraph(this.#creation, step.single, openSingle);
		return groupGraph(this.#creation, step.group, openGroup, openSingle);
	}

	#describe({ boxes, left }, step) {
		if (step) return step.lines.join(' · ') + (left > 0 ? ` · ${left} more are not drawn` : '');
		const { groups } = this.#creation;
		const share = groups.filter(group => group.n_on_path > 0).length / groups.length;
		return (
			`${boxes.length} constructs by path of creation; ` +
			`${percent(share)} are on the critical path, which is thick`
		);
	}

	/* Its construct is selected as well. */
	#openGroup(group) {
		const { tip } = groupBox(group);
		this.#view.keepSelected(constructOf(this.#data, group));
		this.#show([{ name: shorten(group.name), group, lines: tip }]);
	}

	#openSingle(single) {
		const { title, tip } = singleBox(this.#creation, single);
		const others = this.#trail.filter(step => step.single?.index !== single.index);
		this.#show([...others, { name: title, single, lines: tip }].slice(-TRAIL));
	}

	/* Boxes of the construct that is selected anywhere on the page. */
	#markSelected() {
		const key = this.#view.construct?.key;
		for (const { classList, dataset } of this.#place.querySelectorAll('.graph-box')) {
			classList.toggle('other', key !== undefined && dataset.key !== key);
			classList.toggle('chosen', dataset.key === key);
		}
	}
}

export default {
	id: 'graph',
	title: 'The graph',
	about: 'The constructs and what orders them: creation, dependences and synchronisation',
	draw(element, data, view) {
		const creation = readCreation();
		if (creation === null || creation.groups.length === 0) return false;
		new Graph(data, view, creation).open(element);
	},
};
