/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, how the threads' time was spent, and what a reader has to know before these figures are believed.
 */
import { gain, make, percent, time } from './dom.js';

const FACTORS = [
	['load_balance', 'balance', 'how evenly work was shared'], ['serialisation', 'no waits', 'what is left after waiting and serial parts'],
	['runtime', 'no runtime', 'what is left after the runtime'], ['on_processor', 'processor', 'what is left after other programs'],
];
const SPENT = {
	work: 'work', creating: 'creating', handing_out: 'handing-out', serial: 'idle', waiting: 'barrier', exclusion: 'mutex', runtime: 'overhead', recorder: 'recorder', preempted: 'preempted',
	blocked: 'blocked', data: 'target', unknown: 'unknown',
};
const SEEN_IN = { exclusion: 'waits', wait: 'waits', imbalance: 'waits', grain: 'constructs', creation: 'parallelism', serial: 'parallelism' };
const TITLES = { waits: 'Who waits for whom', constructs: 'Constructs', parallelism: 'Threads over time', timeline: 'Timeline' };

function alarms(summary) {
	const lines = [], count = object => Object.values(object ?? {}).reduce((sum, n) => sum + n, 0);
	if (summary.stopped)
		lines.push('Recording was stopped before the end of the program: what came after is not here.');
	if (summary.lost.total > 0)
		lines.push(summary.lost.total + ' records were lost.');
	if (!summary.complete)
		lines.push(summary.snapshot ? 'The program was still running.' : 'The recording is incomplete: the program did not come to its end, or records are missing.');
	if (count(summary.damage) > 0)
		lines.push('The dump is damaged: ' + Object.entries(summary.damage).map(([what, n]) => what + ' ' + n).join(', ') + '.');
	if (count(summary.repairs) > 0)
		lines.push('Records contradicted each other, and were repaired: ' + Object.entries(summary.repairs).map(([what, n]) => what + ' ' + n).join(', ') + '.');
	return lines;
}

/* Of how much work it is not known whether its threads had processors; null: of so little that it is not worth a word. */
function unknownSwitches(processors) {
	const counts = 'a thread without a processor counts as working';
	if (!processors)
		return 'Context switches were not recorded: ' + counts + '.';
	const share = processors.work_ns > 0 ? processors.unknown_ns / processors.work_ns : 0;
	return share < 0.01 ? null : 'Context switches are unknown for ' + percent(share) + ' of the work: there ' + counts + '.';
}

function limitCard(row, isFirst, data, view) {
	const found = data.constructs.find(c => c.process === data.summary.answer.process && c.label === row.construct.label && c.file === (row.construct.file ?? ''));
	const wanted = SEEN_IN[row.limit] ?? 'timeline', seen = wanted === 'waits' && data.waits.length === 0 ? 'timeline' : wanted;
	const children = [make('p', { class: isFirst ? 'sentence' : '', text: row.sentence })];
	if (row.limit !== 'none')
		children.push(make('p', { class: 'gain', text: percent(row.loss_share) + ' of the loss; without it ' + gain(row) }));
	if (found?.source)
		children.push(make('pre', { text: found.file.split('/').pop() + ':' + found.line + '  ' + found.source }));
	if (row.limit !== 'none')
		children.push(make('p', {}, [make('a', { href: '#' + seen, text: 'See it in ' + TITLES[seen], onclick: () => found && view.construct?.key !== found.key && view.select(found) })]));
	return make('div', { class: 'card limit', 'data-limit': row.limit }, children);
}

function bar(parts, total) {
	return make('div', { class: 'bar', role: 'img', 'aria-label': parts.map(p => p.title + ' ' + percent(p.value / total, 1)).join(', ') },
		parts.map(p => make('span', { style: 'width:' + 100 * p.value / total + '%;background:var(--' + p.color + ')', title: p.title + ' ' + percent(p.value / total, 1) })));
}

export default {
	id: 'answer', title: 'What limits this run',
	draw(element, data, view) {
		const { summary } = data, answer = summary.answer;
		const warnings = alarms(summary);
		if (warnings.length > 0)
			element.prepend(make('div', { class: 'alarm', role: 'alert' }, warnings.map(line => make('p', { text: line }))));
		const focus = summary.part?.task;
		if (focus)
			element.prepend(make('p', { id: 'focus' }, [make('a', { href: '#timeline', text: 'Task ' + focus }), document.createTextNode(' of this run is selected, and of single tasks those around it are in the page. All else is of the whole run.')]));
		const facts = [['threads', String(summary.threads)], ['processes', String(summary.processes)], ...focus ? [] : [['explicit tasks', String(summary.tasks.explicit)]],
			['records', String(summary.records)], ['run', time(answer ? answer.wall_ns : summary.time.wall_ns)]];
		element.append(make('dl', { class: 'facts' }, facts.flatMap(([name, value]) => [make('div', {}, [make('dt', { text: name }), make('dd', { id: 'fact-' + name.replace(' ', '-'), text: value })])])));
		if (!answer) {
			element.append(make('p', { text: 'What limits a run is found for OpenMP programs; this one has no OpenMP, or not enough of it was recorded.' }));
			return true;
		}
		if (summary.processes > 1)
			element.append(make('p', { text: 'Of process ' + answer.process + ', which lost most of ' + summary.processes + '.' }));
		element.append(make('div', { class: 'cards' }, [answer, ...answer.others].map((row, i) => limitCard(row, i === 0, data, view))));
		const e = answer.efficiency;
		element.append(make('div', { class: 'product', id: 'efficiency' }, [
			make('div', { class: 'factor total' }, [make('b', { text: percent(e.total) }), make('span', { text: 'of the threads’ time is work' })]),
			...FACTORS.flatMap(([key, name, title], i) => [make('i', { text: i === 0 ? '=' : '×' }),
				make('div', { class: 'factor', title }, [make('b', { text: percent(e[key]) }), make('span', { text: name })])]),
		]));
		const total = answer.wall_ns * answer.threads;
		const parts = Object.entries(answer.account_ns).filter(([, ns]) => ns > 0).map(([name, ns]) => ({ title: name, value: ns, color: SPENT[name] ?? 'unknown' }));
		element.append(bar(parts, total), make('ul', { class: 'legend', id: 'account' }, parts.map(p => make('li', {}, [
			make('i', { style: 'background:var(--' + p.color + ')' }), document.createTextNode(p.title.replace('_', ' ') + ' ' + percent(p.value / total, 1))]))));
		const unknown = unknownSwitches(summary.processors);
		if (unknown)
			element.append(make('p', { id: 'unknown-switches', text: unknown }));
		if (answer.span_ns > 0)
			element.append(make('p', { id: 'bounds', text: 'The longest chain takes ' + time(answer.span_ns) + '; all work ' + time(answer.work_ns) + '.' }));
		return true;
	},
};
