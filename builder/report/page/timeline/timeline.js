/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread did when: a row for each thread, on a canvas. Colours are its states or the constructs that it executed.
 * The critical path is a line through the rows, and the relations of the selected task are arrows (../tasks/).
 *
 * layout.js has the places, paint.js draws, hit.js finds what is at a place, keys.js and pointer.js listen to the reader.
 */
import { readCreation } from '../creation.js';
import { append, button, byId, hint, image, make, replace } from '../dom.js';
import { beginOf } from '../intervals.js';
import { laneConstructs, laneTones } from '../lanes.js';
import { taskOfAddress } from '../tasks/address.js';
import { TaskPanel } from '../tasks/panel.js';
import { makeTasks } from '../tasks/tasks.js';
import { arrowsOf } from '../tasks/arrows.js';
import { redraw } from '../redraw.js';
import { CLASSES } from '../states.js';
import { nounsOfAll, seconds, time } from '../text.js';
import { makeDetails } from './details.js';
import { intervalAt } from './hit.js';
import { listenToKeys } from './keys.js';
import { Layout } from './layout.js';
import { makeLegend, makeSwitch } from './legend.js';
import { paint } from './paint.js';
import { listenToPointer } from './pointer.js';

const WIDTH_MIN = 320;
const PATH_CHANGES = 300; /* the most changes of the critical path from row to row with which it is drawn at first */

class Timeline {
	#data;
	#view;
	#layout;
	#tones; /* the names of the constructs' colours */
	#legend;
	#switch;
	#details;
	#tasks;
	#panel;
	#arrows = { task: null, list: [] }; /* those of the selected task, kept while it stays selected */
	#interval = null; /* the selected one */
	#isByConstruct = false;
	#constructs;
	#highlighted = make('p', { id: 'timeline-highlighted', class: 'details', role: 'status', hidden: '' });
	#canvas;
	#box;
	#shown = make('output', { class: 'hint', id: 'shown' });

	constructor(data, view, rows) {
		this.#data = data;
		this.#view = view;
		this.#constructs = laneConstructs(data);
		this.#tasks = makeTasks(data);
		this.#layout = new Layout(data, rows, view);
		this.#canvas = makeCanvas(data, this.#layout);
		this.#box = make('div', { class: 'timeline' }, [this.#canvas]);
		this.#tones = laneTones(data, this.#constructs);
		this.#legend = makeLegend(data, this.#constructs, this.#tones.length - 1);
		this.#layout.hasPath = changesOfPath(data) <= PATH_CHANGES && hasPath(data);
		this.#switch = makeSwitch({
			hasConstructs: this.#constructs.length > 0,
			choose: isByConstruct => this.#show(isByConstruct),
			hasPath: hasPath(data),
			toggle: () => this.togglePath(),
		});
		this.#details = makeDetails(data, view, this.#tasks);
		this.#panel = new TaskPanel(this.#tasks, single => this.#goTo(single));
	}

	/* Puts everything into the element, and draws it. */
	open(element) {
		append(
			element,
			this.#switch.element,
			this.#legend.element,
			this.#highlighted,
			this.#box,
			hint(about(this.#data.processes)),
			this.#shown,
			this.#details.element,
			this.#panel.element,
		);
		redraw(this.#box, this.#view, () => this.#draw());
		listenToPointer(this.#canvas, this.#data, this.#view, this.#layout, (row, t) => this.select(row, t));
		listenToKeys(this.#canvas, this.#view, this);
		this.#showFocus();
	}

	/* Selects the interval of a row at this time, and the single task that it belongs to; without a row nothing. */
	select(row, t) {
		this.#interval = row && t >= this.#data.begin ? intervalAt(row, t) : null;
		const single = this.#details.show(this.#interval, t);
		if (this.#view.task !== single) this.#view.selectTask(single);
		this.#draw();
	}

	/* Selects in the middle of what is shown. */
	selectMiddle() {
		this.select(this.#interval?.row ?? this.#layout.rows[0], (this.#view.begin + this.#view.end) / 2);
	}

	/* Selects in the row below (1) or above (-1). */
	selectRow(by) {
		const { rows } = this.#layout;
		const i = rows.indexOf(this.#interval?.row) + by;
		const row = rows[Math.min(Math.max(i, 0), rows.length - 1)];
		this.select(row, Math.max(this.#interval?.begin ?? this.#view.begin, row.begin));
	}

	/* Selects the interval after (1) or before (-1) the selected one, and moves there if it is not shown. */
	selectNext(by) {
		if (this.#interval === null) return;
		const { row, i } = this.#interval;
		if (i + by < 0 || i + by >= row.ends.length) return;
		this.select(row, beginOf(row, i + by));
		const { begin, end } = this.#view;
		const found = this.#interval;
		if (found !== null && (found.end < begin || found.begin > end))
			this.#view.pan((found.begin - (begin + end) / 2) / (end - begin));
	}

	toggleConstructs() {
		this.#show(!this.#isByConstruct);
	}

	/* Shows the critical path, or hides it. */
	togglePath() {
		this.#layout.hasPath = !this.#layout.hasPath && hasPath(this.#data);
		this.#draw();
	}

	/* Shows constructs, if there are any, or states. */
	#show(isByConstruct) {
		if (isByConstruct) this.#view.states = null;
		this.#isByConstruct = isByConstruct && this.#constructs.length > 0;
		this.#draw();
	}

	#draw() {
		const { begin, end, task } = this.#view;
		const arrows = this.#arrowsOfTask();
		this.#showHighlighted();
		this.#layout.width = Math.max(this.#box.clientWidth, WIDTH_MIN);
		paint(this.#canvas, this.#layout, this.#data, this.#view, {
			laneTones: this.#isByConstruct ? this.#tones : null,
			outlined: this.#outlined(),
			arrows,
		});
		this.#legend.fill(this.#isByConstruct, this.#layout.hasPath, task !== null);
		this.#panel.show(task);
		this.#shown.textContent = `From ${seconds(begin)} to ${seconds(end)} (${time(end - begin)}).`;
		/* What is drawn, for tests. */
		Object.assign(this.#canvas.dataset, {
			task: task?.task ?? '',
			arrows: arrows.length,
			path: this.#layout.hasPath,
			highlighted: this.#view.states?.join(' ') ?? '',
			colours: this.#isByConstruct ? 'constructs' : 'states',
			begin,
			end,
		});
	}

	/* Which states are highlighted. Then rows have the colours of states. */
	#showHighlighted() {
		const { states } = this.#view;
		const titles = CLASSES.filter(({ name }) => states?.includes(name)).map(({ title }) => title);
		if (states !== null) this.#isByConstruct = false;
		this.#switch.set(this.#isByConstruct, this.#layout.hasPath);
		this.#highlighted.hidden = states === null;
		replace(
			this.#highlighted,
			states !== null && [
				`Highlighted: ${titles.join(', ')}. `,
				button('Show all states', () => this.#view.showAllStates(), { id: 'timeline-all' }),
			],
		);
	}

	/* The selected interval, and what is shown of the selected task. */
	#outlined() {
		const { begin, end, task } = this.#view;
		const stretches = task === null ? [] : this.#tasks.stretches(task);
		return [
			...(this.#interval !== null ? [this.#interval] : []),
			...stretches.filter(stretch => stretch.end >= begin && stretch.begin <= end),
		];
	}

	#arrowsOfTask() {
		const { task } = this.#view;
		if (this.#arrows.task !== task) this.#arrows = { task, list: task === null ? [] : arrowsOf(this.#tasks, task) };
		return this.#arrows.list;
	}

	/* Selects a single task, and moves to where it is if it is not shown. */
	#goTo(single) {
		const { begin, end } = this.#tasks.extent(single);
		const half = (this.#view.end - this.#view.begin) / 2;
		if (this.#tasks.stretches(single).length > 0 && (begin > this.#view.end || end < this.#view.begin))
			this.#view.show(begin - half, begin + half);
		this.#view.selectTask(single);
		this.#panel.focus();
	}

	/* A page about one task shows it at first; a task in the address comes before it. */
	#showFocus() {
		const creation = readCreation();
		const single = creation?.singles[creation.focus];
		if (single) this.#showTask(single);
		this.#showAddressed();
		addEventListener('hashchange', () => this.#showAddressed());
		/* A link to the address that the page has already changes nothing. */
		document.addEventListener('click', ({ target }) => {
			if (target.closest?.('a')?.hash === location.hash) this.#showAddressed();
		});
	}

	/* Shows the task of the page's address, if the page has it, and scrolls there once all sections are drawn. */
	#showAddressed() {
		const number = taskOfAddress();
		if (number === null) return;
		const single = this.#tasks?.byNumber(number);
		if (single) this.#showTask(single);
		else this.#details.tell(`This page has no single task ${number}.`);
		setTimeout(() => byId('timeline').scrollIntoView());
	}

	#showTask(single) {
		const { begin, end } = this.#tasks.extent(single);
		const around = Math.max(end - begin, 1000);
		this.#view.show(begin - around, end + around);
		this.#view.selectTask(single);
	}
}

const hasPath = ({ processes }) => processes.some(p => p.path?.length > 0);

/* How often the critical path goes from one row to another. */
const changesOfPath = ({ processes }) =>
	processes.reduce((sum, { path = [] }) => sum + path.filter(([row], i) => i > 0 && row !== path[i - 1][0]).length, 0);

function makeCanvas(data, layout) {
	const { threads } = nounsOfAll(data.summary);
	const about = `What ${data.rows.length} ${threads} did when. Arrow keys move, plus and minus zoom, 0 shows everything.`;
	return make('canvas', { tabindex: '0', ...image(about), style: `height: ${layout.height}px;` });
}

/* How exact the time line is, and how it is used. */
function about(processes) {
	const windows = Math.max(...processes.map(p => p.windows));
	const exactness = processes.every(p => p.exact)
		? 'Exact to the nanosecond.'
		: `A run of so many intervals is shown in ${windows} windows a row, whose states are in the right proportion; ` +
			'the first and the last, and those where the longest parts of the critical path begin and end, are exact.';
	const folding = processes.some(p => p.folded) ? ' A process with so many threads is one row.' : '';
	return (
		`${exactness}${folding} Wheel: zoom; drag: move; double-click: everything; click or Enter: select; ` +
		'keys: arrows, +, -, 0; "[" and "]": the interval before and after; "c": states or constructs; "p": the critical path.'
	);
}

export default {
	id: 'timeline',
	title: 'Timeline',
	about: 'What each thread did at each time',
	draw(element, data, view) {
		const rows = data.processes.flatMap(p => [...p.rows, ...p.queueRows]);
		if (rows.length === 0) return false;
		data.processes.forEach(p => {
			p.several = data.processes.length > 1;
		});
		new Timeline(data, view, rows).open(element);
	},
};
