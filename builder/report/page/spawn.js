/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation, and the graph by construct and path, as the builder wrote them (docs/report.md): rows of numbers
 * become objects. Used by the flame graph and the graph.
 */
let read = null;

const objects = (names, rows) => rows.map(row => Object.fromEntries(names.map((name, i) => [name, row[i]])));

/* Null: the page has none. */
export function readSpawn() {
	const element = document.getElementById('otter-spawn');
	if (read !== null || element === null)
		return read;
	const raw = JSON.parse(element.textContent);
	const frames = raw.frames.map(([name, file, line]) => ({ name, file, line }));
	const rows = objects(raw.row, raw.rows), groups = objects(raw.group, raw.groups), links = objects(raw.link, raw.links);
	const singles = objects(raw.single, raw.singles), singleLinks = objects(raw.single_link, raw.single_links);
	for (const list of [rows, groups])
		for (const row of list)
			Object.assign(row, { name: frames[row.frame].name, file: frames[row.frame].file, line: frames[row.frame].line, key: row.process + ':' + row.construct });
	groups.forEach((group, i) => {
		[group.width, group.height, group.x, group.y] = raw.boxes[i];
		group.index = i;
		group.singles = [];
	});
	singles.forEach((single, i) => {
		single.index = i;
		groups[single.group].singles.push(single);
	});
	rows.forEach(row => { row.children = []; });
	rows.forEach((row, i) => {
		row.index = i;
		if (row.above >= 0)
			rows[row.above].children.push(row);
	});
	const curves = new Map();
	for (const [source, target, points] of raw.curves)
		curves.set(source + ' ' + target, [...curves.get(source + ' ' + target) ?? [], points]);
	read = { n_rows: raw.n_rows, focus: raw.focus, rows, groups, links, singles, singleLinks, curves, hasPath: rows.length > 0 && rows[0].path_ns >= 0 };
	return read;
}

/* The construct of a row or group among those of the page, to be selected everywhere; undefined: it has none there. */
export function constructOf(data, row) {
	return row.construct === 0 ? undefined : data.constructs.find(construct => construct.key === row.key);
}

/* Which colour a construct has here, by what it is for. */
export function kindOf(name) {
	const kind = /^[a-z_]*/.exec(name)[0];
	if (['task', 'target', 'unit', 'tasklet', 'primary_unit', 'external'].includes(kind))
		return 'task';
	if (['parallel', 'teams'].includes(kind))
		return 'region';
	if (['taskwait', 'taskgroup', 'barrier', 'reduction'].includes(kind))
		return 'sync';
	return ['loop', 'sections', 'single', 'workshare', 'distribute', 'taskloop', 'scope', 'masked'].includes(kind) ? 'share' : 'other';
}
