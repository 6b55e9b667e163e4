/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The selected single task in words, below the time line: its relations as buttons that select the other tasks.
 */
import { button, make, replace } from '../dom.js';
import { seconds, time } from '../text.js';
import { taskAddress } from './address.js';

const LISTED = 30; /* the most tasks of a relation, and */
const CHAIN_LISTED = 12; /* the most steps of the chain */

export class TaskPanel {
	#tasks;
	#select;
	element = make('div', {
		id: 'task',
		class: 'panel',
		role: 'region',
		'aria-label': 'The task that is selected',
		hidden: '',
	});

	/* `tasks`: null: the page has no single tasks. `select` is called with the task of a button. */
	constructor(tasks, select) {
		this.#tasks = tasks;
		this.#select = select;
	}

	/* Shows this task, null: none. */
	show(single) {
		const { dataset } = this.element;
		if (this.#tasks === null || dataset.task === String(single?.index)) return;
		dataset.task = String(single?.index);
		this.element.hidden = single === null;
		replace(this.element, single !== null && this.#about(single));
	}

	focus() {
		this.element.querySelector('button')?.focus({ preventScroll: true });
	}

	#about(single) {
		const { relations } = this.#tasks;
		return [
			make('h3', { id: 'task-title' }, this.#title(single)),
			make('p', { class: 'details', text: times(single) }),
			make(
				'dl',
				{ class: 'relations' },
				this.#row(
					'creator',
					'created by',
					[relations.creator(single)].filter(Boolean),
					'nobody that is known',
				),
				this.#row('before', 'it waited for', relations.before(single)),
				this.#row('after', 'waited for it', relations.after(single)),
				this.#row('children', 'it created', relations.children(single)),
				make('dt', { text: 'the chain that led to it' }),
				make('dd', { id: 'task-chain' }, this.#chain(single)),
			),
		];
	}

	/* A link to the page with this task. Units have no number for that. */
	#title(single) {
		const name = this.#tasks.name(single);
		const title = 'The address of this page with this task';
		return single.task > 0 ? make('a', { href: taskAddress(single.task), title, text: name }) : name;
	}

	#row(id, title, list, none = 'no task') {
		const left = list.length - LISTED;
		const buttons = list.slice(0, LISTED).map(single => this.#button(single));
		return [
			make('dt', { text: title }),
			make('dd', { id: `task-${id}` }, list.length === 0 && none, buttons, left > 0 && ` and ${left} more`),
		];
	}

	/* The last steps. */
	#chain(single) {
		const chain = this.#tasks.relations.chain(single);
		const shown = chain.slice(-CHAIN_LISTED);
		const left = chain.length - shown.length;
		if (chain.length === 0) return 'nothing';
		return [
			left > 0 && `${left} more, then `,
			shown.map(({ from, kind }) => [this.#button(from), kind === 'created' ? ' created ' : ' then ']),
			make('b', { text: this.#tasks.shortName(single) }),
		];
	}

	#button(single) {
		return button(this.#tasks.shortName(single), () => this.#select(single), { title: this.#tasks.name(single) });
	}
}

function times({ begin_ns: begin, end_ns: end, create_ns: create, own_ns: own, path }) {
	const onPath = path === 1 ? ', on the critical path' : '';
	const delay = create >= 0 && begin > create ? ` It began ${time(begin - create)} after it was created.` : '';
	return `From ${seconds(begin)} to ${seconds(end)}, executed for ${time(own)}${onPath}.${delay}`;
}
