/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is shown of the graph at once: all of a process, one group, or one single task, each as {boxes, lines, left}. Boxes are
 * those of boxes.js; lines have the ids of two boxes as `source` and `target`; `left` is how much is not shown.
 */
import { groupBox, groupId, singleBox, singleId } from './boxes.js';

const INSTANCES = 12; /* the most single tasks of a group */
const NEIGHBOURS = 40; /* the most edges of a single task */

/* The edge between two groups, or two single tasks, as a line. */
const groupLine = ({ kind, count, n_on_path }, source, target) => ({ source, target, kind, count, isOnPath: n_on_path > 0 });
const singleLine = ({ kind, path }, source, target) => ({ source, target, kind, count: 1, isOnPath: path === 1 });

/* Lines with the same ends are one: {source, target, count, isOnPath, kinds}. */
function merge(lines) {
	const merged = new Map();
	for (const { source, target, kind, count, isOnPath } of lines) {
		const key = `${source} ${target}`;
		if (!merged.has(key)) merged.set(key, { source, target, count: 0, isOnPath: false, kinds: new Map() });
		const line = merged.get(key);
		line.count += count;
		line.isOnPath ||= isOnPath;
		line.kinds.set(kind, (line.kinds.get(kind) ?? 0) + count);
	}
	return [...merged.values()];
}

/* The whole graph of a process. `isPlaced`: the builder has laid it out, and lines have `curves`. */
export function wholeGraph(creation, process, open) {
	const groups = creation.groups.filter(group => group.process === process);
	const isPlaced = groups.every(group => group.x !== undefined);
	const lines = merge(
		creation.links
			.filter(link => creation.groups[link.source].process === process)
			.map(link => groupLine(link, groupId(link.source), groupId(link.target))),
	);
	for (const line of lines) {
		const ends = `${line.source.slice(1)} ${line.target.slice(1)}`;
		line.curves = isPlaced ? creation.curves.get(ends) : undefined;
	}
	return { boxes: groups.map(group => groupBox(group, open)), lines, isPlaced };
}

/* A group with its largest single tasks. On the left are the groups that come before these, on the right those that come
 * after: a group may be on both sides. */
export function groupGraph(creation, group, openGroup, openSingle) {
	const singles = [...group.singles].sort((a, b) => b.path - a.path || b.own_ns - a.own_ns).slice(0, INSTANCES);
	const around = new Map();
	const put = (index, side) => {
		const id = side + index;
		around.set(id, { ...groupBox(creation.groups[index], openGroup), id });
		return id;
	};
	const lines = singles.length > 0 ? linesOfSingles(creation, singles, put) : linesOfGroup(creation, group, put);
	const middle =
		singles.length > 0
			? singles.map(single => singleBox(creation, single, openSingle))
			: [{ ...groupBox(group, openGroup), isFocus: true }];
	return { boxes: [...middle, ...around.values()], lines: merge(lines), left: group.singles.length - singles.length };
}

/* `put` adds a group that is not in the middle, and returns its id. */
function linesOfSingles({ singles: all, singleLinks }, singles, put) {
	const inside = new Set(singles.map(single => single.index));
	const end = (index, side) => (inside.has(index) ? singleId(index) : put(all[index].group, side));
	return singleLinks
		.filter(link => inside.has(link.source) || inside.has(link.target))
		.map(link => singleLine(link, end(link.source, 'before'), end(link.target, 'after')));
}

function linesOfGroup({ links }, { index: middle }, put) {
	const end = (index, side) => (index === middle ? groupId(index) : put(index, side));
	return links
		.filter(link => link.source === middle || link.target === middle)
		.map(link => groupLine(link, end(link.source, 'before'), end(link.target, 'after')));
}

/* A single task, what comes before it, and what comes after: of many edges first those on the critical path. */
export function singleGraph(creation, single, open) {
	const { singleLinks } = creation;
	const links = singleLinks.filter(link => link.source === single.index || link.target === single.index);
	const onPath = links.filter(link => link.path === 1);
	const first = [...onPath, ...links.filter(link => link.path !== 1)].slice(0, NEIGHBOURS);
	const shown = new Set([single.index, ...first.flatMap(link => [link.source, link.target])]);
	const boxes = [...shown].map(index => ({
		...singleBox(creation, creation.singles[index], open),
		isFocus: index === single.index,
	}));
	const lines = singleLinks
		.filter(link => shown.has(link.source) && shown.has(link.target))
		.map(link => singleLine(link, singleId(link.source), singleId(link.target)));
	return { boxes, lines: merge(lines), left: links.length - first.length };
}
