/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The graph by construct and path of creation. The whole graph lies as the builder has laid it out, or, where it could not,
 * as dagre does. What is opened is laid out by dagre: a construct with its largest tasks and its neighbours, and a single
 * task with what it waited for and what waited for it.
 */
import dagre from '@dagrejs/dagre';
import { hideTip, make, makeSvg, percent, showTip, time } from './dom.js';
import { constructOf, kindOf, readSpawn } from './spawn.js';

const INSTANCES = 12, NEIGHBOURS = 40, LETTERS = 45;
const WORDS = { region: 'begin of ', join: 'end of ', unit_join: 'join in ', unit_wait: 'wait in ' };

const short = name => name.length > LETTERS ? name.slice(0, LETTERS - 1) + '…' : name;

/* ---- What is drawn: boxes {id, title, text, tip, kind, width, height, isOnPath, open, construct}, lines {source, target, ...} ---- */

function groupBox(group, open) {
	const mean = group.count > 0 ? group.own_ns / group.count : 0, word = WORDS[group.kind] ?? '';
	const text = group.own_ns > 0 ? group.count + ' × ' + time(mean) + ', ' + time(group.own_ns) : group.count > 1 ? group.count + ' ×' : '';
	return {
		id: 'g' + group.index, title: word + short(group.name), text, kind: kindOf(group.kind.startsWith('unit_') ? 'taskwait' : group.name), width: group.width, height: group.height,
		x: group.x, y: group.y, isOnPath: group.n_on_path > 0, open: () => open(group), row: group,
		tip: [word + group.name, ...group.file ? [group.file + ':' + group.line] : [], group.count + ' times', time(group.own_ns) + ' executed',
			...group.n_on_path > 0 ? [time(group.path_ns) + ' of it on the critical path'] : []],
	};
}

function singleBox(spawn, single, open) {
	const group = spawn.groups[single.group], text = single.own_ns > 0 ? time(single.own_ns) : '';
	return {
		id: 's' + single.index, title: single.task > 0 ? 'task ' + single.task : short(group.name), text, kind: kindOf(group.name),
		width: 7 * Math.max(text.length, single.task > 0 ? 12 : Math.min(group.name.length, LETTERS)) + 24, height: text ? 40 : 25, isOnPath: single.path === 1,
		open: () => open(single), row: group,
		tip: [group.name, ...single.task > 0 ? ['task ' + single.task + ' in nodes.csv'] : [], time(single.begin_ns) + ' to ' + time(single.end_ns), time(single.own_ns) + ' executed'],
	};
}

/* Lines with the same ends are one. */
function merge(lines) {
	const merged = new Map();
	for (const line of lines) {
		const key = line.source + ' ' + line.target, of = merged.get(key) ?? { source: line.source, target: line.target, count: 0, isOnPath: false, kinds: new Map() };
		of.count += line.count;
		of.isOnPath ||= line.isOnPath;
		of.kinds.set(line.kind, (of.kinds.get(line.kind) ?? 0) + line.count);
		merged.set(key, of);
	}
	return [...merged.values()];
}

/* The whole graph of a process. */
function wholeGraph(spawn, process, open) {
	const groups = spawn.groups.filter(group => group.process === process), boxes = groups.map(group => groupBox(group, open));
	const lines = merge(spawn.links.filter(link => spawn.groups[link.source].process === process)
		.map(link => ({ source: 'g' + link.source, target: 'g' + link.target, kind: link.kind, count: link.count, isOnPath: link.n_on_path > 0 })));
	const isPlaced = groups.every(group => group.x !== undefined);
	for (const line of lines)
		line.curves = isPlaced ? spawn.curves.get(line.source.slice(1) + ' ' + line.target.slice(1)) : undefined;
	return { boxes, lines, isPlaced };
}

/* A group with its largest single tasks; on the left the groups that come before these, on the right those that come after. */
function groupGraph(spawn, group, openGroup, openSingle) {
	const chosen = [...group.singles].sort((a, b) => b.path - a.path || b.own_ns - a.own_ns).slice(0, INSTANCES), is = new Set(chosen.map(s => s.index));
	const around = new Map(), lines = [];
	const end = (index, side) => {
		around.set(side + index, { ...groupBox(spawn.groups[index], openGroup), id: side + index });
		return side + index;
	};
	for (const link of spawn.singleLinks)
		if (is.has(link.source) || is.has(link.target))
			lines.push({ source: is.has(link.source) ? 's' + link.source : end(spawn.singles[link.source].group, 'before'),
				target: is.has(link.target) ? 's' + link.target : end(spawn.singles[link.target].group, 'after'), kind: link.kind, count: 1, isOnPath: link.path === 1 });
	const middle = chosen.length > 0 ? chosen.map(single => singleBox(spawn, single, openSingle)) : [{ ...groupBox(group, openGroup), isFocus: true }];
	if (chosen.length === 0)
		for (const link of spawn.links.filter(l => l.source === group.index || l.target === group.index))
			lines.push({ source: link.source === group.index ? 'g' + group.index : end(link.source, 'before'), target: link.target === group.index ? 'g' + group.index : end(link.target, 'after'),
				kind: link.kind, count: link.count, isOnPath: link.n_on_path > 0 });
	return { boxes: [...middle, ...around.values()], lines: merge(lines), left: group.singles.length - chosen.length };
}

/* A single task, what comes before it, and what comes after. */
function singleGraph(spawn, single, openSingle) {
	const links = spawn.singleLinks.filter(link => link.source === single.index || link.target === single.index);
	const first = [...links.filter(link => link.path === 1), ...links.filter(link => link.path !== 1)].slice(0, NEIGHBOURS);
	const shown = new Set([single.index, ...first.flatMap(link => [link.source, link.target])]);
	const boxes = [...shown].map(index => ({ ...singleBox(spawn, spawn.singles[index], openSingle), isFocus: index === single.index }));
	const lines = merge(spawn.singleLinks.filter(link => shown.has(link.source) && shown.has(link.target))
		.map(link => ({ source: 's' + link.source, target: 's' + link.target, kind: link.kind, count: 1, isOnPath: link.path === 1 })));
	return { boxes, lines, left: links.length - first.length };
}

/* ---- Drawing ---- */

function layOut(graph) {
	const g = new dagre.graphlib.Graph().setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 44 }).setDefaultEdgeLabel(() => ({}));
	graph.boxes.forEach(box => g.setNode(box.id, { width: box.width, height: box.height }));
	graph.lines.forEach(line => line.source !== line.target && g.setEdge(line.source, line.target));
	dagre.layout(g);
	graph.boxes.forEach(box => Object.assign(box, { x: g.node(box.id).x, y: g.node(box.id).y }));
	graph.lines.forEach(line => { line.points = line.source !== line.target ? g.edge(line.source, line.target).points : undefined; });
}

/* Of a line its way: Bezier curves of the builder's, points of dagre's, or a loop at the box. */
function wayOf(line, box) {
	if (line.curves)
		return line.curves.map(p => {
			const pairs = [];
			for (let i = 0; i < p.length; i += 2)
				pairs.push(p[i] + ' ' + p[i + 1]);
			return 'M' + pairs[0] + 'C' + pairs.slice(1).join(' ');
		}).join('');
	if (line.points)
		return 'M' + line.points.map(p => p.x.toFixed(1) + ' ' + p.y.toFixed(1)).join('L');
	const x = box.x + box.width / 2, y = box.y;
	return `M${x} ${y - 8}C${x + 34} ${y - 22} ${x + 34} ${y + 22} ${x} ${y + 8}`;
}

function draw(graph, place, view) {
	if (!graph.isPlaced)
		layOut(graph);
	const boxOf = new Map(graph.boxes.map(box => [box.id, box])), pad = 40;
	const left = Math.min(...graph.boxes.map(b => b.x - b.width / 2)) - pad, top = Math.min(...graph.boxes.map(b => b.y - b.height / 2)) - pad;
	const width = Math.max(...graph.boxes.map(b => b.x + b.width / 2)) + pad - left, height = Math.max(...graph.boxes.map(b => b.y + b.height / 2)) + pad - top;
	const arrow = (id, name) => makeSvg('marker', { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse', markerUnits: 'userSpaceOnUse' },
		[makeSvg('path', { d: 'M0 0L8 4L0 8Z', style: 'fill:var(--' + name + ')' })]);
	const lines = graph.lines.map(line => {
		const tip = [boxOf.get(line.source).title + ' → ' + boxOf.get(line.target).title, ...[...line.kinds].map(([kind, n]) => kind + ' × ' + n)];
		return makeSvg('path', {
			class: 'graph-line' + (line.isOnPath ? ' on-path' : ''), d: wayOf(line, boxOf.get(line.source)), 'stroke-width': line.isOnPath ? 3 : 1 + Math.min(Math.log10(line.count), 4) / 2,
			'marker-end': 'url(#' + (line.isOnPath ? 'graph-arrow-path' : 'graph-arrow') + ')', 'data-count': line.count,
			onmousemove: event => showTip(event, tip), onmouseleave: hideTip,
		});
	});
	const boxes = graph.boxes.map(box => makeSvg('g', {
		class: 'graph-box' + (box.isOnPath ? ' on-path' : '') + (box.isFocus ? ' focus' : ''), transform: `translate(${box.x} ${box.y})`, tabindex: 0, role: 'button',
		'aria-label': box.tip.join(', '), 'data-id': box.id, 'data-key': box.row.key, onclick: box.open, onmousemove: event => showTip(event, box.tip), onmouseleave: hideTip,
		onkeydown: event => {
			if (event.key === 'Enter' || event.key === ' ') {
				event.preventDefault();
				box.open();
			}
		},
	}, [
		makeSvg('rect', { x: -box.width / 2, y: -box.height / 2, width: box.width, height: box.height, rx: box.kind === 'sync' ? 12 : 4, style: 'fill:var(--kind-' + box.kind + ')' }),
		makeSvg('text', { y: box.text ? -3 : 4, text: box.title }), ...box.text ? [makeSvg('text', { y: 13, class: 'small', text: box.text })] : [],
	]));
	const svg = makeSvg('svg', { class: 'graph', role: 'group', 'aria-label': graph.boxes.length + ' boxes, ' + graph.lines.length + ' lines', viewBox: [left, top, width, height].join(' ') },
		[makeSvg('defs', {}, [arrow('graph-arrow', 'soft'), arrow('graph-arrow-path', 'path')]), ...lines, ...boxes]);
	svg.style.maxWidth = Math.ceil(width) + 'px';
	place.replaceChildren(svg);
	makeMovable(svg, [left, top, width, height]);
	mark(place, view);
}

/* Wheel with Ctrl, buttons and keys zoom; the mouse drags. */
function makeMovable(svg, all) {
	let [x, y, w, h] = all, from = null, began = null, isMoved = false;
	const set = () => svg.setAttribute('viewBox', [x, y, w, h].join(' '));
	const zoom = (factor, atX = x + w / 2, atY = y + h / 2) => {
		const f = Math.min(Math.max(factor, 0.02 * all[2] / w), all[2] * 1.5 / w);
		[x, y, w, h] = [atX - (atX - x) * f, atY - (atY - y) * f, w * f, h * f];
		set();
	};
	const point = event => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
	svg.zoom = zoom;
	svg.reset = () => { [x, y, w, h] = all; set(); };
	svg.addEventListener('wheel', event => {
		if (!event.ctrlKey)
			return;
		const at = point(event);
		zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, at.x, at.y);
		event.preventDefault();
	}, { passive: false });
	svg.addEventListener('pointerdown', event => { from = point(event); began = event; isMoved = false; });
	svg.addEventListener('pointermove', event => {
		if (from === null || event.buttons === 0)
			return;
		isMoved ||= Math.hypot(event.clientX - began.clientX, event.clientY - began.clientY) > 4;
		if (!isMoved)
			return;
		const at = point(event);
		x -= at.x - from.x;
		y -= at.y - from.y;
		set();
	});
	svg.addEventListener('pointerup', () => { from = null; });
	svg.addEventListener('click', event => isMoved && event.stopPropagation(), true); /* who drags opens nothing */
	svg.addEventListener('keydown', event => {
		const keys = { '+': () => zoom(1 / 1.4), '=': () => zoom(1 / 1.4), '-': () => zoom(1.4), 0: () => svg.reset(), ArrowLeft: () => { x -= w / 8; }, ArrowRight: () => { x += w / 8; },
			ArrowUp: () => { y -= h / 8; }, ArrowDown: () => { y += h / 8; } };
		if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey)
			return;
		keys[event.key]();
		set();
		event.preventDefault();
	});
}

/* Boxes of the construct that is selected anywhere on the page. */
function mark(place, view) {
	for (const box of place.querySelectorAll('.graph-box')) {
		box.classList.toggle('other', view.construct !== null && box.dataset.key !== view.construct.key);
		box.classList.toggle('chosen', view.construct !== null && box.dataset.key === view.construct.key);
	}
}

export default {
	id: 'graph', title: 'The graph',
	draw(element, data, view) {
		const spawn = readSpawn();
		if (spawn === null || spawn.groups.length === 0)
			return false;
		const processes = [...new Set(spawn.groups.map(group => group.process))], place = make('div', { id: 'graph-place' });
		const way = make('p', { class: 'choices', id: 'graph-way' }), said = make('p', { class: 'details', id: 'graph-details', role: 'status' });
		const chosen = make('select', { id: 'graph-process', 'aria-label': 'Process' }, processes.map(p => make('option', { value: p, text: 'process ' + p })));
		if (processes.includes(data.summary.answer?.process))
			chosen.value = data.summary.answer.process; /* the one that the answer is about */
		let trail = [];
		const button = (text, onclick, attributes = {}) => make('button', { type: 'button', text, onclick, ...attributes });
		const show = () => {
			const last = trail[trail.length - 1];
			const graph = !last ? wholeGraph(spawn, Number(chosen.value), openGroup)
				: last.single ? singleGraph(spawn, last.single, openSingle) : groupGraph(spawn, last.group, openGroup, openSingle);
			const svg = () => place.querySelector('svg');
			way.replaceChildren(...processes.length > 1 ? [chosen] : [], button('whole graph', () => { trail = []; show(); }, { id: 'graph-all' }),
				...trail.map((step, i) => button('› ' + step.name, () => { trail = trail.slice(0, i + 1); show(); })),
				button('+', () => svg().zoom(1 / 1.4), { 'aria-label': 'Zoom in' }), button('−', () => svg().zoom(1.4), { 'aria-label': 'Zoom out' }),
				button('fit', () => svg().reset()));
			hideTip();
			draw(graph, place, view);
			said.textContent = last ? last.lines.join(' · ') + (graph.left > 0 ? ' · ' + graph.left + ' more are not drawn' : '')
				: graph.boxes.length + ' constructs by path of creation; ' + percent(spawn.groups.filter(g => g.n_on_path > 0).length / spawn.groups.length) + ' are on the critical path, which is thick';
		};
		const openGroup = group => {
			trail = [{ name: short(group.name), group, lines: groupBox(group, openGroup).tip }];
			const construct = constructOf(data, group);
			if (construct && view.construct?.key !== construct.key)
				view.select(construct);
			show();
		};
		const openSingle = single => {
			const box = singleBox(spawn, single, openSingle);
			trail = [...trail.filter(step => !step.single || step.single.index !== single.index), { name: box.title, single, lines: box.tip }].slice(-5);
			show();
		};
		chosen.addEventListener('change', () => { trail = []; show(); });
		element.append(make('p', { class: 'hint', text: 'A box is a construct on one path of creation, as high as its share of the work; edges of the same ends are one. Click or Enter opens it' +
			(spawn.singles.length > 0 ? ', down to single tasks' : '') + '. Drag to move; Ctrl and the wheel, + and - zoom.' }), way, place, said);
		show();
		view.listen(() => mark(place, view));
		return true;
	},
};
