/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single tasks of the page: their names, and where and when they were executed. A single is a row of `singles` in
 * docs/report.md: a task, a unit, or a synchronisation between them.
 */
import { readCreation } from '../creation.js';
import { stretchesByTask } from '../lanes.js';
import { Relations } from './relations.js';

class Tasks {
	#data;
	#singles;
	#groups;
	#stretches;
	#byNumber;

	constructor(data, { singles, groups, singleLinks }) {
		this.#data = data;
		this.#singles = singles;
		this.#groups = groups;
		this.#stretches = stretchesByTask(data);
		this.#byNumber = new Map(singles.filter(s => s.task > 0).map(s => [s.task, s]));
		this.relations = new Relations(singles, singleLinks, single => this.#isTask(single));
	}

	/* A task or a unit, not a synchronisation. */
	#isTask(single) {
		return single.task > 0 || this.#group(single).kind === 'unit';
	}

	#group(single) {
		return this.#groups[single.group];
	}

	#process(single) {
		return this.#data.processes.find(p => p.process === this.#group(single).process);
	}

	/* What has to be added to its times for the time line. */
	offset(single) {
		return this.#process(single)?.offset ?? 0;
	}

	/* From its begin to its end, {begin, end}, on the time line. */
	extent(single) {
		const offset = this.offset(single);
		return { begin: single.begin_ns + offset, end: single.end_ns + offset };
	}

	/* Where it was executed, [{row, begin, end}] in the order of time: one stretch where parts of it are not known. */
	stretches(single) {
		const found = single.task > 0 ? this.#stretches.get(single.task) : undefined;
		if (found) return found;
		const process = this.#process(single);
		const row = process?.rows.find(r => process.folded || r.place === single.thread);
		return row ? [{ row, ...this.extent(single) }] : [];
	}

	/* The row that executed it at this time, or last before it; undefined if no row of it is known. */
	rowAt(single, t) {
		const list = this.stretches(single);
		const stretch = list.find(s => s.begin <= t && t <= s.end) ?? list.findLast(s => s.begin <= t) ?? list[0];
		return stretch?.row;
	}

	/* The single that a row executed at this time, where it executed this stretch (stretchAt()). */
	at(row, t, { task, key }) {
		if (task > 0) return this.#byNumber.get(task);
		return this.#singles
			.filter(single => this.#isUnitOf(single, key) && single.thread === row.place && this.#covers(single, t))
			.sort((a, b) => b.begin_ns - a.begin_ns)[0];
	}

	#isUnitOf(single, key) {
		return single.task === 0 && this.#isTask(single) && this.#group(single).key === key;
	}

	#covers(single, t) {
		const { begin, end } = this.extent(single);
		return begin <= t && t <= end;
	}

	/* The task with this number; undefined: the page does not have it as a single one. */
	byNumber(number) {
		return this.#byNumber.get(number);
	}

	name(single) {
		return (this.#isTask(single) ? `${this.#number(single)} ` : '') + this.#group(single).name;
	}

	/* Without the function. */
	shortName(single) {
		if (single.task === 0) return this.name(single);
		const construct = this.#group(single)
			.name.replace(/^task@/, '')
			.replace(/ \([^()]*\)$/, '');
		return `${this.#number(single)} · ${construct}`;
	}

	/* Units have no numbers in the data: they are counted in their group. */
	#number(single) {
		if (single.task > 0) return `task ${single.task}`;
		return `unit ${this.#group(single).singles.indexOf(single) + 1} of`;
	}
}

/* Null: the page has no single tasks. */
export function makeTasks(data) {
	const creation = readCreation();
	return creation === null || creation.singles.length === 0 ? null : new Tasks(data, creation);
}
