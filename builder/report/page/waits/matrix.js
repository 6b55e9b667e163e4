/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of waits: a row for each construct at which threads waited, a column for each that they waited for. It has the
 * largest of both.
 */
import { findConstruct, keyOf } from '../data.js';
import { button, make } from '../dom.js';
import { head, table } from '../table.js';
import { byTime, nounsOfAll, time } from '../text.js';

const CELLS = 10;

const sumOf = list => list.reduce((sum, ns) => sum + ns, 0);

/* Where threads waited, the longest first. All waits of a construct have the same list `for`, whatever the state. */
function placesOf(waits) {
	const found = new Map();
	for (const { key, label, process, for: causes } of waits)
		if (!found.has(key) && causes.length > 0)
			found.set(key, { key, label, process, causes, ns: sumOf(causes.map(cause => cause.ns)) });
	return byTime(found.values());
}

/* What threads waited for, the longest first. */
function causesOf(places) {
	const found = new Map();
	for (const place of places)
		for (const cause of place.causes) {
			const key = keyOf(place.process, cause.row);
			if (!found.has(key)) found.set(key, { key, label: cause.label, process: place.process, ns: 0 });
			found.get(key).ns += cause.ns;
		}
	return byTime(found.values());
}

/* Null: no cause is known. */
export function matrix(data, view) {
	const places = placesOf(data.waits);
	const causes = causesOf(places);
	const rows = places.slice(0, CELLS);
	const columns = causes.slice(0, CELLS);
	if (rows.length === 0) return null;
	const hidden = causes.length - columns.length;
	const isCut = hidden > 0 || places.length > rows.length;
	const longest = Math.max(...rows.flatMap(row => row.causes.map(cause => cause.ns)));
	const heads = [
		make('td'),
		columns.map(column => constructHead(column, 'col', data, view)),
		hidden > 0 && head(`${hidden} others`, false, 'all other constructs that were waited for, together'),
	];
	const body = rows.map(row => {
		const times = columns.map(({ key }) => timeFor(row, key));
		if (hidden > 0) times.push(row.ns - sumOf(times));
		return make(
			'tr',
			{},
			constructHead(row, 'row', data, view),
			times.map(ns => cell(ns, longest)),
		);
	});
	const { threads } = nounsOfAll(data.summary);
	const about = `Rows wait, columns are waited for: the time of all ${threads} together`;
	const caption = make('caption', { text: `${about}${isCut ? '; the largest' : ''}.` });
	return table({ id: 'waits-matrix' }, heads, make('tbody', {}, body), caption);
}

const timeFor = (row, key) => sumOf(row.causes.filter(cause => keyOf(row.process, cause.row) === key).map(cause => cause.ns));

/* The name selects the construct, if the page has it. */
function constructHead({ key, label, process }, scope, data, view) {
	const construct = findConstruct(data, key);
	const name = (data.processes.length > 1 ? `p${process} ` : '') + (label || '(unknown)');
	const title = scope === 'row' ? `waiting at ${name}` : `for ${name}`;
	return make('th', { scope, 'data-key': key, title }, construct ? button(name, () => view.select(construct)) : name);
}

/* The longer, the darker. */
function cell(ns, longest) {
	const shade = Math.ceil(60 * Math.sqrt(ns / longest));
	return make('td', {
		class: 'number',
		style: ns > 0 ? `background:color-mix(in srgb, var(--mutex) ${shade}%, var(--back))` : '',
		text: ns > 0 ? time(ns) : '',
	});
}
