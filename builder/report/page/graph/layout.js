/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places of boxes, and the paths of lines. What the builder has not placed, dagre lays out.
 */
import dagre from '@dagrejs/dagre';

/* Sets x and y of the boxes, the middle of each, and `points` of the lines between two boxes. */
export function layOut({ boxes, lines }) {
	const between = lines.filter(line => line.source !== line.target);
	const graph = new dagre.graphlib.Graph();
	graph.setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 44 }).setDefaultEdgeLabel(() => ({}));
	boxes.forEach(({ id, width, height }) => graph.setNode(id, { width, height }));
	between.forEach(({ source, target }) => graph.setEdge(source, target));
	dagre.layout(graph);
	for (const box of boxes) {
		const { x, y } = graph.node(box.id);
		Object.assign(box, { x, y });
	}
	for (const line of between) line.points = graph.edge(line.source, line.target).points;
}

/* The path of a line as SVG has it. `box`: where it starts. */
export function pathOf({ curves, points }, box) {
	if (curves) return curves.map(curvePath).join('');
	if (points) return `M${points.map(({ x, y }) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;
	const [x, y] = [box.x + box.width / 2, box.y];
	return `M${x} ${y - 8}C${x + 34} ${y - 22} ${x + 34} ${y + 22} ${x} ${y + 8}`;
}

/* A Bezier curve of the builder: x and y of the begin, and of the three points of each part. */
function curvePath(numbers) {
	const points = [];
	for (let i = 0; i < numbers.length; i += 2) points.push(`${numbers[i]} ${numbers[i + 1]}`);
	return `M${points[0]}C${points.slice(1).join(' ')}`;
}

/* The rectangle [left, top, width, height] around all boxes. */
export function extentOf(boxes, margin) {
	const left = Math.min(...boxes.map(box => box.x - box.width / 2)) - margin;
	const top = Math.min(...boxes.map(box => box.y - box.height / 2)) - margin;
	const right = Math.max(...boxes.map(box => box.x + box.width / 2)) + margin;
	const bottom = Math.max(...boxes.map(box => box.y + box.height / 2)) + margin;
	return [left, top, right - left, bottom - top];
}
