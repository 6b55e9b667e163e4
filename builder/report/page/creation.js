/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation, and the graph by construct and path, as the builder wrote them (docs/report.md): rows of numbers
 * become objects.
 */
import { findConstruct, keyOf } from './data.js';
import { readScript } from './dom.js';

let read = null;

/* {n_rows, focus, rows, groups, links, singles, singleLinks, curves, hasPath}, or null: the page has none. */
export const readCreation = () => (read ??= decode(readScript('otter-spawn')));

function decode(raw) {
	if (raw === null) return null;
	const rows = objects(raw.row, raw.rows);
	const groups = objects(raw.group, raw.groups);
	const singles = objects(raw.single, raw.singles);
	for (const row of [...rows, ...groups]) {
		const [name, file, line] = raw.frames[row.frame];
		Object.assign(row, { name, file, line, key: keyOf(row.process, row.construct) });
	}
	groups.forEach((group, index) => {
		const [width, height, x, y] = raw.boxes[index];
		Object.assign(group, { width, height, x, y, index, singles: [] });
	});
	singles.forEach((single, index) => {
		single.index = index;
		groups[single.group].singles.push(single);
	});
	return {
		n_rows: raw.n_rows,
		focus: raw.focus,
		rows,
		groups,
		links: objects(raw.link, raw.links),
		singles,
		singleLinks: objects(raw.single_link, raw.single_links),
		curves: curvesOf(raw.curves),
		hasPath: rows.length > 0 && rows[0].path_ns >= 0,
	};
}

/* Rows as objects with these names. */
const objects = (names, rows) => rows.map(row => Object.fromEntries(names.map((name, i) => [name, row[i]])));

/* By the indices of two groups, "SOURCE TARGET": the curves of the edges between them. */
function curvesOf(list) {
	const curves = new Map();
	for (const [source, target, points] of list) {
		const key = `${source} ${target}`;
		if (!curves.has(key)) curves.set(key, []);
		curves.get(key).push(points);
	}
	return curves;
}

/* The construct of a row or group among those of the page, to be selected everywhere; undefined: it has none there. */
export const constructOf = (data, row) => (row.construct === 0 ? undefined : findConstruct(data, row.key));

const KINDS = {
	task: ['task', 'target', 'unit', 'tasklet', 'primary_unit', 'external'],
	region: ['parallel', 'teams'],
	sync: ['taskwait', 'taskgroup', 'barrier', 'reduction'],
	share: ['loop', 'sections', 'single', 'workshare', 'distribute', 'taskloop', 'scope', 'masked'],
};

/* The kind of a construct by its name, for its colour (--kind-...). */
export function kindOf(name) {
	const [construct] = /^[a-z_]*/.exec(name);
	return Object.keys(KINDS).find(kind => KINDS[kind].includes(construct)) ?? 'other';
}
