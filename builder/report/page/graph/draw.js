/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph as SVG.
 */
import { isActivation, makeSvg } from '../dom.js';
import { tipListeners } from '../tip.js';
import { extentOf, layOut, pathOf } from './layout.js';
import { PanZoom } from './panzoom.js';

const MARGIN = 40;

/* Draws a graph of scopes.js in place of what is there, and returns the drawing as a PanZoom. */
export function draw(graph, place) {
	if (!graph.isPlaced) layOut(graph);
	const byId = new Map(graph.boxes.map(box => [box.id, box]));
	const whole = extentOf(graph.boxes, MARGIN);
	const attributes = {
		class: 'graph',
		role: 'group',
		'aria-label': `${graph.boxes.length} boxes, ${graph.lines.length} lines`,
		viewBox: whole.join(' '),
	};
	const svg = makeSvg(
		'svg',
		attributes,
		makeSvg('defs', {}, arrowHead('graph-arrow', 'soft'), arrowHead('graph-arrow-path', 'path')),
		graph.lines.map(line => drawLine(line, byId.get(line.source), byId.get(line.target))),
		graph.boxes.map(drawBox),
	);
	const [, , width] = whole;
	svg.style.maxWidth = `${Math.ceil(width)}px`;
	place.replaceChildren(svg);
	return new PanZoom(svg, whole);
}

function arrowHead(id, tone) {
	const attributes = {
		id,
		viewBox: '0 0 8 8',
		refX: 7,
		refY: 4,
		markerWidth: 7,
		markerHeight: 7,
		orient: 'auto-start-reverse',
		markerUnits: 'userSpaceOnUse',
	};
	return makeSvg('marker', attributes, makeSvg('path', { d: 'M0 0L8 4L0 8Z', style: `fill:var(--${tone})` }));
}

/* The more edges it stands for, the thicker; on the critical path it is the thickest. */
function drawLine(line, source, target) {
	const { isOnPath, count, kinds } = line;
	const tip = [`${source.title} → ${target.title}`, ...[...kinds].map(([kind, n]) => `${kind} × ${n}`)];
	return makeSvg('path', {
		class: `graph-line${isOnPath ? ' on-path' : ''}`,
		d: pathOf(line, source),
		'stroke-width': isOnPath ? 3 : 1 + Math.min(Math.log10(count), 4) / 2,
		'marker-end': `url(#graph-arrow${isOnPath ? '-path' : ''})`,
		'data-count': count,
		...tipListeners(tip),
	});
}

function drawBox(box) {
	const { width, height, text, title, kind, tip } = box;
	const attributes = {
		class: `graph-box${box.isOnPath ? ' on-path' : ''}${box.isFocus ? ' focus' : ''}`,
		transform: `translate(${box.x} ${box.y})`,
		tabindex: 0,
		role: 'button',
		'aria-label': tip.join(', '),
		'data-id': box.id,
		'data-key': box.row.key,
		onclick: box.open,
		onkeydown: event => isActivation(event) && box.open(),
		...tipListeners(tip),
	};
	const outline = { x: -width / 2, y: -height / 2, width, height, rx: kind === 'sync' ? 12 : 4 };
	return makeSvg(
		'g',
		attributes,
		makeSvg('rect', { ...outline, style: `fill:var(--kind-${kind})` }),
		makeSvg('text', { y: text ? -3 : 4, text: title }),
		text && makeSvg('text', { y: 13, class: 'small', text }),
	);
}
