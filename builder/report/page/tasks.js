/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The single task that is selected: who created it, what it waited for, what waited for it, and the chain that led to it; in words
 * below the time line, and as arrows upon it. Used by timeline.js.
 */
import { color, make, time } from './dom.js';
import { stretchesByTask } from './lanes.js';
import { readSpawn } from './spawn.js';

const LISTED = 30, CHAIN = 100, CHAIN_LISTED = 12;
export const ARROWS = [
	{ name: 'created', title: 'created by', tone: 'a0', dash: [], line: 'solid' }, { name: 'before', title: 'it waited for', tone: 'a1', dash: [7, 3], line: 'dashed' },
	{ name: 'after', title: 'waited for it', tone: 'a2', dash: [2, 3], line: 'dotted' },
];

/* All that is asked of single tasks; null: the page has none. */
export function makeTasks(data) {
	const spawn = readSpawn();
	if (spawn === null || spawn.singles.length === 0)
		return null;
	const { singles } = spawn, parts = stretchesByTask(data), into = singles.map(() => []), from = singles.map(() => []);
	for (const link of spawn.singleLinks) {
		into[link.target].push(link);
		from[link.source].push(link);
	}
	const processOf = single => data.processes.find(p => p.process === spawn.groups[single.group].process);
	const offset = single => processOf(single)?.offset ?? 0, isTask = single => single.task > 0 || spawn.groups[single.group].kind === 'unit';
	const unique = list => [...new Set(list)];
	const numberOf = single => single.task > 0 ? 'task ' + single.task : 'unit ' + (spawn.groups[single.group].singles.indexOf(single) + 1) + ' of';
	const short = single => single.task > 0 ? numberOf(single) + ' · ' + spawn.groups[single.group].name.replace(/^task@/, '').replace(/ \([^()]*\)$/, '') : name(single);
	const name = single => (isTask(single) ? numberOf(single) + ' ' : '') + spawn.groups[single.group].name;

	/* Of a synchronisation who waits there: it comes before it and after it. */
	const waiters = sync => unique(from[sync.index].filter(l => ['sequence', 'join', 'barrier'].includes(l.kind)).map(l => singles[l.target]).filter(isTask));
	const own = single => from[single.index].filter(l => l.kind === 'sequence' && !isTask(singles[l.target]) && into[single.index].some(back => back.source === l.target)).map(l => singles[l.target]);

	/* Of a member of a team it is who encountered the region, whose beginning is between the two. */
	const creator = single => {
		const source = singles[into[single.index].find(l => l.kind === 'create')?.source];
		return source === undefined || isTask(source) ? source : into[source.index].map(l => singles[l.source]).find(isTask) ?? source;
	};
	const dependsOn = single => into[single.index].filter(l => l.kind !== 'create' && isTask(singles[l.source])).map(l => singles[l.source]);
	const before = single => unique([...dependsOn(single), ...own(single).flatMap(sync => into[sync.index].map(l => singles[l.source]).filter(s => isTask(s) && s !== single))]);
	const after = single => unique(from[single.index].filter(l => l.kind !== 'create' && l.kind !== 'sequence').flatMap(l => isTask(singles[l.target]) ? [singles[l.target]] : waiters(singles[l.target])).filter(s => s !== single));
	const children = single => from[single.index].filter(l => l.kind === 'create' && isTask(singles[l.target])).map(l => singles[l.target]);

	/* What it could not begin before: of its creation and its dependences the last, and so on. The first comes first. */
	const chain = single => {
		const steps = [], seen = new Set([single]);
		for (let at = single; steps.length < CHAIN;) {
			const made = creator(at), causes = [...made ? [{ from: made, to: at, kind: 'created', ns: at.create_ns }] : [], ...dependsOn(at).map(s => ({ from: s, to: at, kind: 'before', ns: s.end_ns }))];
			const last = causes.filter(c => !seen.has(c.from)).sort((a, b) => b.ns - a.ns)[0];
			if (!last)
				break;
			steps.unshift(last);
			seen.add(last.from);
			at = last.from;
		}
		return steps;
	};
	const stretches = single => {
		const found = single.task > 0 ? parts.get(single.task) : undefined;
		if (found)
			return found;
		const process = processOf(single), row = process?.rows.find(r => process.folded || r.place === single.thread);
		return row ? [{ row, begin: single.begin_ns + process.offset, end: single.end_ns + process.offset }] : [];
	};
	const at = (single, t) => { /* its row at this time */
		const list = stretches(single);
		return (list.find(s => s.begin <= t && t <= s.end) ?? [...list].reverse().find(s => s.begin <= t) ?? list[0])?.row;
	};
	/* Arrows that are drawn for it: {kind, from: {row, t}, to: {row, t}}. */
	const arrows = single => {
		const arrow = (kind, source, t, target, until) => ({ kind, from: { row: at(source, t + offset(source)), t: t + offset(source) }, to: { row: at(target, until + offset(target)), t: until + offset(target) } });
		const made = creator(single), createdAt = single.create_ns >= 0 ? single.create_ns : single.begin_ns;
		/* After a wait it goes on where its first stretch begins that is not before the end of what it waited for. */
		const goesOn = other => stretches(single).map(s => s.begin - offset(single)).find(t => t >= other.end_ns) ?? single.end_ns;
		const begins = other => other.begin_ns >= single.end_ns ? other.begin_ns : stretches(other).map(s => s.begin - offset(other)).find(t => t >= single.end_ns) ?? other.end_ns;
		return [...made ? [arrow('created', made, createdAt, single, single.begin_ns)] : [], ...before(single).slice(0, LISTED).map(other => arrow('before', other, other.end_ns, single, goesOn(other))),
			...after(single).slice(0, LISTED).map(other => arrow('after', single, single.end_ns, other, begins(other))),
			...chain(single).slice(0, -1).map(step => ({ ...arrow(step.kind, step.from, Math.max(step.ns, 0), step.to, step.to.begin_ns), isChain: true }))].filter(a => a.from.row && a.to.row);
	};
	const byNumber = new Map(singles.filter(s => s.task > 0).map(s => [s.task, s]));
	/* Which one a row executed at this time, where it has executed the stretch. */
	const single = (row, t, stretch) => stretch.task > 0 ? byNumber.get(stretch.task)
		: singles.filter(s => s.task === 0 && isTask(s) && spawn.groups[s.group].key === stretch.key && s.thread === row.place && s.begin_ns + offset(s) <= t && t <= s.end_ns + offset(s)).sort((a, b) => b.begin_ns - a.begin_ns)[0];
	return { at: single, name, short, offset, stretches, creator, before, after, children, chain, arrows, isOn: single => stretches(single).length > 0 };
}

/* In words. `select` is called with a task that is asked for. */
export function fillPanel(panel, tasks, single, select) {
	if (single === null) {
		panel.replaceChildren();
		panel.hidden = true;
		return;
	}
	const button = other => make('button', { type: 'button', text: tasks.short(other), title: tasks.name(other), onclick: () => select(other) });
	const row = (id, title, list, empty) => [make('dt', { text: title }), make('dd', { id: 'task-' + id }, list.length === 0 ? [document.createTextNode(empty)]
		: [...list.slice(0, LISTED).map(button), ...list.length > LISTED ? [document.createTextNode(' and ' + (list.length - LISTED) + ' more')] : []])];
	const made = tasks.creator(single), chain = tasks.chain(single), shown = chain.slice(-CHAIN_LISTED);
	panel.hidden = false;
	panel.replaceChildren(make('h3', { id: 'task-title', text: tasks.name(single) }),
		make('p', { class: 'details', text: 'From ' + (single.begin_ns / 1e9).toFixed(9) + ' s to ' + (single.end_ns / 1e9).toFixed(9) + ' s, executed for ' + time(single.own_ns) + (single.path === 1 ? ', on the critical path' : '') + '.' +
			(single.create_ns >= 0 && single.begin_ns > single.create_ns ? ' It began ' + time(single.begin_ns - single.create_ns) + ' after it was created.' : '') }),
		make('dl', { class: 'relations' }, [
			...row('creator', 'created by', made ? [made] : [], 'nobody that is known'), ...row('before', 'it waited for', tasks.before(single), 'no task'),
			...row('after', 'waited for it', tasks.after(single), 'no task'), ...row('children', 'it created', tasks.children(single), 'no task'),
			make('dt', { text: 'the chain that led to it' }), make('dd', { id: 'task-chain' }, chain.length === 0 ? [document.createTextNode('nothing')] : [
				...chain.length > shown.length ? [document.createTextNode(chain.length - shown.length + ' more, then ')] : [],
				...shown.flatMap(step => [button(step.from), document.createTextNode(step.kind === 'created' ? ' created ' : ' then ')]), make('b', { text: tasks.short(single) })]),
		]));
}

/* Where things are on the canvas: x(t), y(row) of a row's middle. */
export function drawArrows(context, arrows, x, y) {
	for (const arrow of arrows) {
		const kind = ARROWS.find(a => a.name === arrow.kind), [x0, y0, x1, y1] = [x(arrow.from.t), y(arrow.from.row), x(arrow.to.t), y(arrow.to.row)];
		const bend = y0 === y1 ? 14 : 0, middle = (x0 + x1) / 2, angle = Math.atan2(y1 - y0 + bend, x1 - middle || 1);
		for (const [tone, width] of [['back', arrow.isChain ? 4 : 6], [kind.tone, arrow.isChain ? 1.5 : 2.5]]) {
			context.strokeStyle = context.fillStyle = color(tone);
			context.lineWidth = width;
			context.setLineDash(tone === 'back' ? [] : kind.dash);
			context.beginPath();
			context.moveTo(x0, y0);
			context.bezierCurveTo(middle, y0 - bend, middle, y1 - bend, x1, y1);
			context.stroke();
		}
		context.setLineDash([]);
		context.beginPath();
		context.moveTo(x1, y1);
		context.lineTo(x1 - 9 * Math.cos(angle - 0.4), y1 - 9 * Math.sin(angle - 0.4));
		context.lineTo(x1 - 9 * Math.cos(angle + 0.4), y1 - 9 * Math.sin(angle + 0.4));
		context.fill();
	}
}
