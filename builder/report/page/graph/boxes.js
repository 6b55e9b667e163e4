/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The boxes of the graph: {id, title, text, kind, width, height, isOnPath, open, row, tip}. `open` is called when the reader
 * opens the box, `row` names its construct, `tip` are lines about it. Boxes that the builder has placed have x and y.
 */
import { kindOf } from '../creation.js';
import { some, time } from '../text.js';

const LETTERS = 45; /* the most in a title */
const LETTER = 7; /* px */
const WORDS = { region: 'begin of ', join: 'end of ', unit_join: 'join in ', unit_wait: 'wait in ' };

export const shorten = name => (name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name);

/* The ids of boxes of a group, and of a single task. */
export const groupId = index => `g${index}`;
export const singleId = index => `s${index}`;

export function groupBox(group, open) {
	const word = WORDS[group.kind] ?? '';
	return {
		id: groupId(group.index),
		title: word + shorten(group.name),
		text: groupText(group),
		kind: kindOf(group.kind.startsWith('unit_') ? 'taskwait' : group.name),
		width: group.width,
		height: group.height,
		x: group.x,
		y: group.y,
		isOnPath: group.n_on_path > 0,
		open: () => open(group),
		row: group,
		tip: some(
			word + group.name,
			group.file && `${group.file}:${group.line}`,
			`${group.count} times`,
			`${time(group.own_ns)} executed`,
			group.n_on_path > 0 && `${time(group.path_ns)} of it on the critical path`,
		),
	};
}

function groupText({ kind, count, own_ns: own }) {
	/* The table of constructs counts regions, and has what is executed in worksharing constructs apart. */
	if (own > 0 && kind === 'implicit') return `${count} threads, ${time(own)} with loops`;
	if (own > 0) return `${count} × ${time(count > 0 ? own / count : 0)}, ${time(own)}`;
	return count > 1 ? `${count} ×` : '';
}

export function singleBox(creation, single, open) {
	const group = creation.groups[single.group];
	const text = single.own_ns > 0 ? time(single.own_ns) : '';
	const letters = single.task > 0 ? 12 : Math.min(group.name.length, LETTERS);
	return {
		id: singleId(single.index),
		title: single.task > 0 ? `task ${single.task}` : shorten(group.name),
		text,
		kind: kindOf(group.name),
		width: LETTER * Math.max(text.length, letters) + 24,
		height: text ? 40 : 25,
		isOnPath: single.path === 1,
		open: () => open(single),
		row: group,
		tip: some(
			group.name,
			single.task > 0 && `task ${single.task} in nodes.csv`,
			`${time(single.begin_ns)} to ${time(single.end_ns)}`,
			`${time(single.own_ns)} executed`,
		),
	};
}
