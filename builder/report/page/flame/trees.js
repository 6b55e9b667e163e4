/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation as trees for the flame graph, of nodes {name, row, value, own, count, children}. `row` is one of the
 * paths of the node, `value` the time of it and its children, `own` that of it alone.
 */
const nodeOf = row => ({ name: row.name, row, value: 0, own: 0, count: 0, children: [] });

/* Below each construct what it created. `metric`: a column of the rows, which come after those that created them. */
export function topDown(rows, metric) {
	const nodes = rows.map(nodeOf);
	const roots = [];
	for (let i = rows.length; i-- > 0; ) {
		const node = nodes[i];
		const row = rows[i];
		node.own = Math.max(row[metric], 0);
		node.count = row.count;
		node.value += node.own;
		node.children.reverse();
		if (row.above >= 0) {
			nodes[row.above].value += node.value;
			nodes[row.above].children.push(node);
		} else roots.unshift(node);
	}
	return roots;
}

/* Each construct with its own time, and below it what created it. */
export function bottomUp(rows, metric) {
	const top = new Map();
	for (const row of rows) {
		const own = Math.max(row[metric], 0);
		if (own > 0) addPath(top, rows, row, own);
	}
	return sorted(top);
}

/* From the row up to those that created it: each is a level deeper. */
function addPath(top, rows, row, own) {
	let level = top;
	for (let above = row; above.above >= 0; above = rows[above.above]) {
		if (!level.has(above.name)) level.set(above.name, { ...nodeOf(above), below: new Map() });
		const node = level.get(above.name);
		node.value += own;
		if (above === row) {
			node.own = node.value;
			node.count += row.count;
		} else node.own = 0;
		level = node.below;
	}
}

const sorted = level =>
	[...level.values()].sort((a, b) => b.value - a.value).map(node => ({ ...node, children: sorted(node.below) }));

export const depthOf = node => 1 + Math.max(0, ...node.children.map(depthOf));
