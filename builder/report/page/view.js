/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all sections show together: the stretch of time, and the construct and the single task that are selected.
 */
import { hasModifier, press } from './dom.js';

const SHORTEST = 100; /* ns that can be shown */

export class View {
	#listeners = [];
	construct = null; /* one of data.constructs */
	task = null; /* one of readCreation().singles */
	states = null; /* names of classes of states that are highlighted (states.js); null: none */

	constructor({ begin, end }) {
		this.all = { begin, end };
		this.begin = begin;
		this.end = end;
	}

	/* The listener is called after each change. */
	listen(listener) {
		this.#listeners.push(listener);
	}

	notify() {
		this.#listeners.forEach(listener => listener());
	}

	/* Shows this stretch of time, as far as it is within the run. */
	show(begin, end) {
		const { all } = this;
		const length = Math.min(Math.max(end - begin, SHORTEST), all.end - all.begin);
		this.begin = Math.min(Math.max(begin, all.begin), all.end - length);
		this.end = this.begin + length;
		this.notify();
	}

	/* Makes the stretch `factor` times as long, with this time at the same place. */
	zoom(factor, time) {
		this.show(time - (time - this.begin) * factor, time + (this.end - time) * factor);
	}

	/* Moves by a share of what is shown. */
	pan(share) {
		const by = (this.end - this.begin) * share;
		this.show(this.begin + by, this.end + by);
	}

	reset() {
		this.show(this.all.begin, this.all.end);
	}

	/* Selects a construct; none, if it is null or selected already. */
	select(construct) {
		this.states = null;
		this.construct = this.construct?.key === construct?.key ? null : construct;
		this.notify();
	}

	/* Selects a construct, also if it is selected already; undefined changes nothing. */
	keepSelected(construct) {
		if (construct && this.construct?.key !== construct.key) this.select(construct);
	}

	/* Selects a construct in the same way, highlights these classes of states (null: none), and shows all of the run. */
	highlight(construct, states) {
		this.construct = construct ?? this.construct;
		this.states = states;
		this.reset();
	}

	/* Ends that highlight. */
	showAllStates() {
		this.states = null;
		this.notify();
	}

	selectTask(single) {
		this.task = single;
		this.notify();
	}
}

/* The keys of everything that shows time. Returns true if this event is of one of them. */
export function timeKey(view, event) {
	const { begin, end, all } = view;
	const middle = (begin + end) / 2;
	const keys = {
		ArrowLeft: () => view.pan(-0.15),
		ArrowRight: () => view.pan(0.15),
		'+': () => view.zoom(0.6, middle),
		'=': () => view.zoom(0.6, middle),
		'-': () => view.zoom(1 / 0.6, middle),
		0: () => view.reset(),
		Home: () => view.show(all.begin, all.begin + end - begin),
		End: () => view.show(all.end - (end - begin), all.end),
	};
	return !hasModifier(event) && press(event, keys);
}
