/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What each thread did when: a row a thread, on a canvas, its states or the constructs that it executed by colour. Where several
 * intervals fall on one column of pixels, their colours are mixed by their shares. The critical path is a line through the rows,
 * and what belongs to the task that is selected are arrows (tasks.js).
 */
import { CLASSES, QUEUE_CLASSES } from './data.js';
import { color, hideTip, make, mark, redraw, showTip, time } from './dom.js';
import { coverage, find, laneConstructs, laneTones, stretchAt } from './lanes.js';
import { readSpawn } from './spawn.js';
import { ARROWS, drawArrows, fillPanel, makeTasks } from './tasks.js';
import { timeKey } from './view.js';

const ROW_MAX = 32, ROW_MIN = 5, LEFT = 110, AXIS = 24, VISIBLE = 560, FAINT = 0.18;

function rgb(name) {
	const hex = color(name);
	return [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
}

/* One row into pixels, a column at a time. `shown`: by column how much of it is not faint; null: all. */
function paint({ begin: first, ends, states }, classes, shown, view, width, height, pixels, stride, top, palette, background) {
	const scale = (view.end - view.begin) / width;
	let i = find(ends, view.begin), from = Math.max(i === 0 ? first : ends[i - 1], view.begin);
	for (let x = 0; x < width; x++) {
		const left = view.begin + x * scale, right = left + scale;
		let red = 0, green = 0, blue = 0, covered = 0;
		while (i < ends.length && from < right) {
			const begin = from > left ? from : left, end = ends[i] < right ? ends[i] : right;
			const tone = palette[classes[states[i]]];
			if (tone !== undefined && end > begin) {
				const share = (end - begin) / scale;
				red += tone[0] * share;
				green += tone[1] * share;
				blue += tone[2] * share;
				covered += share;
			}
			if (ends[i] > right)
				break;
			from = ends[i++];
		}
		if (shown !== null) {
			const faint = 1 - (1 - FAINT) * (1 - Math.min(shown[x], 1));
			red *= faint;
			green *= faint;
			blue *= faint;
			covered *= faint;
		}
		const rest = Math.max(0, 1 - covered);
		const value = 0xff000000 | (blue + background[2] * rest) << 16 | (green + background[1] * rest) << 8 | (red + background[0] * rest);
		pixels[top * stride + x] = value;
	}
	for (let y = 1; y < height; y++)
		pixels.copyWithin((top + y) * stride, top * stride, top * stride + width);
}

function drawPath(context, data, view, x, rowY, rowHeight, selected) {
	context.lineWidth = 2;
	let last = null;
	for (const process of data.processes) {
		for (const [row, begin, length, construct] of process.path ?? []) {
			const from = begin + process.offset, to = from + length, y = rowY(process, row);
			if (to < view.begin || from > view.end || y === null) {
				last = null;
				continue;
			}
			const middle = y + rowHeight / 2;
			context.strokeStyle = color(selected !== null && selected.key === process.process + ':' + construct ? 'selected' : 'path');
			context.beginPath();
			if (last !== null) {
				context.moveTo(...last);
				context.lineTo(x(from), middle);
			} else
				context.moveTo(x(from), middle);
			context.lineTo(Math.max(x(to), x(from) + 0.5), middle);
			context.stroke();
			last = [x(to), middle];
		}
		last = null;
	}
}

function ticks(view, width) {
	const raw = (view.end - view.begin) / Math.max(width / 110, 1), power = 10 ** Math.floor(Math.log10(raw));
	const step = power * [1, 2, 5, 10].find(k => k * power >= raw), found = [];
	for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step)
		found.push(t);
	return { found, step };
}

function label(row) {
	if (row.names)
		return (row.process.several ? 'p' + row.process.process + ' ' : '') + row.name;
	const several = row.process.several ? 'p' + row.process.process + ' ' : '';
	return several + (row.process.folded ? row.name + ' threads' : 'thread ' + row.name);
}

/* The interval of a row at this time, or null. */
function intervalAt(row, t) {
	const i = find(row.ends, t);
	if (i === row.ends.length || t < row.begin || row.states[i] >= (row.names ?? row.process.states).length)
		return null;
	return { row, i, begin: i === 0 ? row.begin : row.ends[i - 1], end: row.ends[i] };
}

/* The construct that the critical path is in there, if it goes through the row. */
function pathConstruct(data, row, from, to) {
	const { process } = row, step = (process.path ?? []).find(p => (process.folded || p[0] === row.place) && p[1] + process.offset < to && p[1] + p[2] + process.offset > from);
	return step && data.constructs.find(c => c.key === process.process + ':' + step[3]);
}

/* Where threads of the process waited longest in this state, and for what. */
function commonWait(data, process, state) {
	const wait = data.waits.filter(w => w.process === process.process && w.state === state).sort((a, b) => b.total_ns - a.total_ns)[0];
	if (!wait)
		return [];
	const whom = [...wait.for].sort((a, b) => b.ns - a.ns)[0];
	return ['most of such waiting: at ' + wait.label + (whom ? ', for ' + whom.label : '')];
}

function describe(data, { row, i, begin, end }, t = begin) {
	if (row.names) {
		const [, , number, , name] = row.activities[i], of = data.constructs.find(c => c.key === row.process.process + ':' + number);
		return [label(row), row.names[row.states[i]] + (name === row.names[row.states[i]] ? '' : ' ' + name.replaceAll('_', ' ')) + ', ' + time(end - begin), 'at ' + (begin / 1e9).toFixed(9) + ' s', ...of ? ['of ' + of.label] : []];
	}
	const state = row.process.states[row.states[i]], isExact = row.process.exact || (row.process.close ?? []).some(([a, b]) => a + row.process.offset <= begin && end <= b + row.process.offset);
	const construct = pathConstruct(data, row, begin, end), stretch = stretchAt(row, t);
	return [label(row) + (data.processes.some(p => p.host !== row.process.host) ? ' on ' + row.process.host : ''), state.replaceAll('_', ' ') + ', ' + (isExact ? '' : 'about ') + time(end - begin), 'at ' + (begin / 1e9).toFixed(9) + ' s',
		...stretch ? [(row.process.lanes.exact ? 'in ' : 'about in ') + (stretch.task > 0 ? 'task ' + stretch.task + ' of ' : '') + (stretch.label || 'unknown')] : [],
		...construct ? ['on the critical path: ' + construct.label] : [], ...state.startsWith('wait') ? commonWait(data, row.process, state) : []];
}

export default {
	id: 'timeline', title: 'Timeline',
	draw(element, data, view) {
		const rows = data.processes.flatMap(p => [...p.rows, ...p.queueRows]), hasQueues = data.processes.some(p => p.queueRows.length > 0);
		if (rows.length === 0)
			return false;
		data.processes.forEach(p => { p.several = data.processes.length > 1; });
		const canvas = make('canvas', { tabindex: '0', role: 'img', 'aria-label': 'What ' + data.rows.length + ' threads did when. Arrow keys move, plus and minus zoom, 0 shows everything.' });
		const box = make('div', { class: 'timeline' }, [canvas]), used = new Set();
		for (const row of data.rows)
			for (const state of row.states)
				used.add(row.process.classes[state]);
		const hasPath = data.processes.some(p => (p.path ?? []).length > 0);
		const names = laneConstructs(data), tones = laneTones(data, names), tasks = makeTasks(data), spawn = readSpawn();
		let hasConstructs = false;
		const legend = make('ul', { class: 'legend', id: 'timeline-legend' });
		const item = (tone, title, attributes = {}) => make('li', attributes, [make('i', { style: 'background:var(--' + tone + ')' }), document.createTextNode(title)]);
		const fillLegend = () => {
			const shownNames = names.filter((name, i) => i < tones.length - 1), isMore = names.length > shownNames.length;
			legend.replaceChildren(...hasConstructs ? [...shownNames.map(name => item(name.tone, name.label)), ...isMore ? [item('idle', 'other constructs')] : [], item('empty', 'no task')]
				: CLASSES.map((c, i) => used.has(i) ? item(c.name, c.title) : ''),
			...hasQueues ? [item('work', 'kernels of devices'), item('target', 'transfers of devices')] : [], hasPath ? item('path', 'critical path') : '', ...view.task !== null ? ARROWS.map(arrow => make('li', {}, [make('i', { class: 'line', style: 'border-top:3px ' + arrow.line + ' var(--' + arrow.tone + ')' }), document.createTextNode(arrow.title)])) : []);
		};
		const modes = make('div', { class: 'choices', role: 'group', 'aria-label': 'Colours of the time line' }, ['states', 'constructs'].map((name, i) => make('button', {
			type: 'button', id: 'timeline-' + name, text: i === 0 ? 'States' : 'Constructs', 'aria-pressed': String(i === 0), onclick: () => show(i === 1) })));
		const show = isByConstruct => {
			hasConstructs = isByConstruct && names.length > 0;
			[...modes.children].forEach((button, i) => button.setAttribute('aria-pressed', String((i === 1) === hasConstructs)));
			draw();
		};
		const panel = make('div', { id: 'task', class: 'panel', role: 'region', 'aria-label': 'The task that is selected', hidden: '' });
		const isExact = data.processes.every(p => p.exact), isFolded = data.processes.some(p => p.folded);
		const note = (isExact ? 'Exact to the nanosecond.' : 'A run of so many intervals is shown in ' + Math.max(...data.processes.map(p => p.windows)) + ' windows a row, whose states are in the right proportion; the first and the last, and those where the longest parts of the critical path begin and end, are exact.')
			+ (isFolded ? ' A process with so many threads is one row.' : '');
		const details = make('p', { id: 'timeline-details', class: 'details', role: 'status' });
		let chosen = null;
		const where = make('output', { class: 'hint', id: 'shown' });
		element.append(...names.length > 0 ? [modes] : [], legend, box, make('p', { class: 'hint', text: note + ' Wheel: zoom; drag: move; double-click: everything; click or Enter: select; keys: arrows, +, -, 0; "[" and "]": the interval before and after; "c": states or constructs.' }), where, details, panel);
		const rowHeight = Math.max(ROW_MIN, Math.min(ROW_MAX, Math.floor(VISIBLE / rows.length)));
		const height = rows.length * (rowHeight + 1) + AXIS;
		canvas.style.height = height + 'px';
		const places = new Map(rows.map((row, i) => [row, AXIS + i * (rowHeight + 1)]));
		const byProcess = new Map(data.processes.map(p => [p, new Map(p.rows.map(row => [row, places.get(row)]))]));
		const numbers = new Map(data.processes.map(p => [p, p.rows]));
		const rowY = (process, number) => {
			const found = process.folded ? numbers.get(process)[0] : numbers.get(process).find(row => row.place === number) ?? null;
			return found ? byProcess.get(process).get(found) : null;
		};
		let found = { task: null, arrows: [] }; /* of the task that is selected */
		const arrows = () => {
			if (found.task !== view.task)
				found = { task: view.task, arrows: tasks.arrows(view.task) };
			return found.arrows;
		};
		const draw = () => {
			const scale = devicePixelRatio || 1, width = Math.max(box.clientWidth, 320), plot = width - LEFT;
			canvas.width = width * scale;
			canvas.height = height * scale;
			const context = canvas.getContext('2d');
			context.setTransform(scale, 0, 0, scale, 0, 0);
			context.fillStyle = color('back');
			context.fillRect(0, 0, width, height);
			const palette = CLASSES.map(c => rgb(c.name)), background = rgb('empty'), lanePalette = tones.map(rgb);
			fillLegend();
			const n = Math.floor(plot * scale), high = Math.floor(rowHeight * scale);
			for (const row of rows) {
				const image = context.createImageData(n, high), shown = view.construct !== null && row.lane ? coverage(row, view.construct.key, view, n) : null;
				if (hasConstructs && row.lane)
					paint(row.lane, row.process.laneTones, shown, view, n, high, new Uint32Array(image.data.buffer), n, 0, lanePalette, background);
				else
					paint(row, row.names ? QUEUE_CLASSES : row.process.classes, shown, view, n, high, new Uint32Array(image.data.buffer), n, 0, palette, background);
				context.putImageData(image, LEFT * scale, places.get(row) * scale);
			}
			const x = t => LEFT + (t - view.begin) / (view.end - view.begin) * plot;
			context.fillStyle = color('text');
			context.font = '12px system-ui, sans-serif';
			context.textBaseline = 'middle';
			const every = Math.ceil(14 / (rowHeight + 1));
			rows.forEach((row, i) => { /* between processes */
				if (i > 0 && rows[i - 1].process !== row.process)
					context.fillRect(0, places.get(row) - 1, width, 1);
			});
			rows.forEach((row, i) => {
				if (i % every === 0)
					context.fillText(label(row), 4, places.get(row) + rowHeight / 2, LEFT - 8);
			});
			const marks = ticks(view, plot);
			for (const t of marks.found) {
				context.fillText(mark(t, marks.step, view.end), x(t) + 3, AXIS / 2);
				context.fillRect(x(t), 4, 1, AXIS - 6);
			}
			context.save();
			context.beginPath();
			context.rect(LEFT, AXIS, plot, height);
			context.clip();
			drawPath(context, data, view, x, rowY, rowHeight, view.construct);
			if (chosen !== null) {
				context.strokeStyle = color('selected');
				context.lineWidth = 3;
				context.strokeRect(x(chosen.begin), places.get(chosen.row), Math.max(x(chosen.end) - x(chosen.begin), 2), rowHeight);
			}
			if (tasks !== null && view.task !== null) {
				context.strokeStyle = color('selected');
				context.lineWidth = 3;
				for (const stretch of tasks.stretches(view.task))
					if (stretch.end >= view.begin && stretch.begin <= view.end)
						context.strokeRect(x(stretch.begin), places.get(stretch.row), Math.max(x(stretch.end) - x(stretch.begin), 2), rowHeight);
				drawArrows(context, arrows(), x, row => places.get(row) + rowHeight / 2);
			}
			context.restore();
			if (tasks !== null && panel.dataset.task !== String(view.task?.index)) {
				panel.dataset.task = String(view.task?.index);
				fillPanel(panel, tasks, view.task, goTo);
			}
			canvas.dataset.task = view.task?.task ?? '';
			canvas.dataset.arrows = view.task === null ? 0 : arrows().length;
			canvas.dataset.colours = hasConstructs ? 'constructs' : 'states';
			where.textContent = 'From ' + (view.begin / 1e9).toFixed(9) + ' s to ' + (view.end / 1e9).toFixed(9) + ' s (' + time(view.end - view.begin) + ').';
			canvas.dataset.begin = view.begin;
			canvas.dataset.end = view.end;
		};
		/* To a task, and to where it can be seen. */
		const goTo = single => {
			const [first] = tasks.stretches(single), begin = single.begin_ns + tasks.offset(single), end = single.end_ns + tasks.offset(single);
			if (first && (begin > view.end || end < view.begin))
				view.show(begin - (view.end - view.begin) / 2, begin + (view.end - view.begin) / 2);
			view.selectTask(single);
			panel.querySelector('button')?.focus({ preventScroll: true });
		};
		redraw(box, view, draw);
		const at = event => view.begin + (event.offsetX - LEFT) / (canvas.clientWidth - LEFT) * (view.end - view.begin);
		const rowAt = event => rows[Math.floor((event.offsetY - AXIS) / (rowHeight + 1))];
		canvas.addEventListener('wheel', event => {
			event.preventDefault();
			if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
				view.pan((event.deltaX + (event.shiftKey ? event.deltaY : 0)) / 1000);
			else
				view.zoom(Math.exp(event.deltaY / 400), at(event));
		}, { passive: false });
		const choose = (row, t) => {
			chosen = row && t >= data.begin ? intervalAt(row, t) : null;
			details.textContent = chosen === null ? '' : describe(data, chosen, t).join(' · ');
			const stretch = chosen === null ? null : stretchAt(row, t), single = (stretch && tasks?.at(row, t, stretch)) ?? null;
			if (stretch?.task > 0 && single === null)
				details.append(' · otter-build --report --task=' + (stretch.task - row.process.lanes.before) + (data.processes.length > 1 ? ' --process=' + row.process.process : '') + ' makes a page of it');
			const construct = chosen === null || row.names ? undefined : pathConstruct(data, chosen.row, chosen.begin, chosen.end);
			if (construct)
				details.append(' ', make('button', { type: 'button', text: 'Select ' + construct.label, onclick: () => view.select(construct) }));
			const executed = stretch && stretch.key !== construct?.key && data.constructs.find(c => c.key === stretch.key);
			if (executed)
				details.append(' ', make('button', { type: 'button', text: 'Select ' + executed.label, onclick: () => view.select(executed) }));
			if (view.task !== single)
				view.selectTask(single);
			draw();
		};
		/* To the interval before or after the chosen one, and to where it can be seen. */
		const step = by => {
			const to = chosen && chosen.i + by;
			if (chosen === null || to < 0 || to >= chosen.row.ends.length)
				return;
			choose(chosen.row, to === 0 ? chosen.row.begin : chosen.row.ends[to - 1]);
			if (chosen !== null && (chosen.end < view.begin || chosen.begin > view.end))
				view.pan((chosen.begin - (view.begin + view.end) / 2) / (view.end - view.begin));
		};
		const chooseRow = row => choose(row, Math.max(chosen?.begin ?? view.begin, row.begin));
		const keys = {
			Enter: () => choose(chosen?.row ?? rows[0], (view.begin + view.end) / 2),
			ArrowDown: () => chooseRow(rows[Math.min(rows.indexOf(chosen?.row) + 1, rows.length - 1)]),
			ArrowUp: () => chooseRow(rows[Math.max(rows.indexOf(chosen?.row) - 1, 0)]),
			'[': () => step(-1), ']': () => step(1), Escape: () => choose(null, 0), c: () => show(!hasConstructs),
		};
		let dragged = null;
		canvas.addEventListener('pointerdown', event => { dragged = { x: event.offsetX, begin: view.begin, end: view.end }; canvas.setPointerCapture(event.pointerId); });
		canvas.addEventListener('pointerup', event => {
			if (dragged !== null && Math.abs(dragged.x - event.offsetX) < 3)
				choose(event.offsetX >= LEFT ? rowAt(event) : null, at(event));
			dragged = null;
		});
		canvas.addEventListener('pointerleave', hideTip);
		canvas.addEventListener('pointermove', event => {
			if (dragged !== null) {
				const by = (dragged.x - event.offsetX) / (canvas.clientWidth - LEFT) * (dragged.end - dragged.begin);
				view.show(dragged.begin + by, dragged.end + by);
				return;
			}
			const row = rowAt(event), t = at(event);
			if (row === undefined || event.offsetX < LEFT)
				return hideTip();
			const interval = intervalAt(row, t);
			if (interval === null)
				return hideTip();
			showTip(event, describe(data, interval, t));
		});
		canvas.addEventListener('dblclick', () => view.reset());
		canvas.addEventListener('keydown', event => {
			if (timeKey(view, event) || !(event.key in keys))
				return;
			keys[event.key]();
			event.preventDefault();
		});
		const focus = spawn?.singles[spawn.focus];
		if (focus) { /* the page is about this task */
			const begin = focus.begin_ns + tasks.offset(focus), end = focus.end_ns + tasks.offset(focus), around = Math.max(end - begin, 1000);
			view.show(begin - around, end + around);
			view.selectTask(focus);
		}
		return true;
	},
};
