/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What limits the run, how the threads' time was spent, and warnings about a recording that is not whole.
 */
import { readCreation } from './creation.js';
import { alarm, append, facts, image, make, note, swatch } from './dom.js';
import { taskAddress } from './tasks/address.js';
import { lossAndGain, nouns, nounsOfAll, overTime, percent, some, time } from './text.js';

/* Factors of the efficiency: key, name, and what it means. */
const factors = ({ thread, threads }) => [
	['load_balance', 'load balance', 'how evenly work was shared'],
	['on_processor', 'CPU share', 'what is left after time without a processor'],
	['waits', 'not waiting', `of the busiest ${thread}: what is left after waiting for other ${threads}`],
	['idling', 'not idle', `of the busiest ${thread}: what is left after serial parts of others, being blocked, and devices`],
	['runtime', 'outside the runtime', `of the busiest ${thread}: what is left after the runtime`],
];
/* Colours of the parts of the account. */
const COLORS = {
	work: 'work',
	creating: 'creating',
	handing_out: 'handing-out',
	serial: 'idle',
	waiting: 'barrier',
	exclusion: 'mutex',
	runtime: 'overhead',
	recorder: 'recorder',
	preempted: 'preempted',
	blocked: 'blocked',
	data: 'target',
	unknown: 'unknown',
};
/* The sections that show the kinds of limits; the time line shows all others. */
const SEEN_IN = {
	exclusion: 'waits',
	wait: 'waits',
	imbalance: 'waits',
	grain: 'constructs',
	creation: 'parallelism',
	serial: 'parallelism',
};
/* The classes of states that the time line highlights, for what is about states and not about a construct. */
const STATES = { preemption: ['preempted'], binding: ['preempted'], blocked: ['blocked'], runtime: ['overhead'], data: ['target'] };
const TITLES = { waits: 'Waits by cause', constructs: 'Constructs', timeline: 'Timeline' };

/* ---- Warnings and facts ---- */

const warnings = ({ stopped, lost, complete, snapshot, damage, repairs }) =>
	some(
		stopped && 'Recording was stopped before the end of the program: what came after is not here.',
		lost.total > 0 && `${lost.total} records were lost.`,
		!complete && (snapshot ? 'The program was still running.' : INCOMPLETE),
		hasAny(damage) && `The dump is damaged: ${counts(damage)}.`,
		hasAny(repairs) && `${isOfMissing(repairs) ? MISSING : CONTRADICTED}: ${counts(repairs)}.`,
	);

const INCOMPLETE = 'The recording is incomplete: the program did not come to its end, or records are missing.';
const MISSING = 'Records are missing, and were replaced';
const CONTRADICTED = 'Records contradicted each other, and were repaired';

/* Repairs where a thread had not left a construct when its records ended, as of a program that was killed. */
const OPEN_AT_END = ['scope_open_at_end', 'task_without_end', 'implicit_task_without_end', 'region_without_end'];
/* These and the other repairs because records are missing (docs/damage.md). */
const OF_MISSING = [
	...OPEN_AT_END,
	'missing_segments',
	'lost_records',
	'scope_open_at_gap',
	'thread_left_scope_open',
	'scope_without_end',
	'scope_end_without_begin',
	'implicit_task_end_without_begin',
	'region_end_without_begin',
	'cut_dependence_list',
	'cut_group',
];

const areAll = names => repairs => Object.entries(repairs ?? {}).every(([name, n]) => n === 0 || names.includes(name));
const isOfMissing = areAll(OF_MISSING);
const isOpenAtEnd = areAll(OPEN_AT_END);

/* A program that did not come to its end, with all records that it made: that is no fault of the recording. What it was, or
 * null. */
function endedEarly({ stopped, lost, complete, snapshot, damage, repairs, answer }) {
	if (complete || stopped || lost.total > 0 || hasAny(damage) || !isOpenAtEnd(repairs)) return null;
	if (snapshot) return 'The program was still running: the recording goes up to here, and nothing of it is missing.';
	const { how, status } = answer?.ended ?? {};
	const end = how === 'killed' ? `was killed (signal ${status})` : 'did not come to its end';
	return `The program ${end}. Nothing that was recorded is missing; what was open then ends there.`;
}

const hasAny = object => Object.values(object ?? {}).some(n => n > 0);

const counts = object =>
	Object.entries(object)
		.map(([what, n]) => `${what} ${n}`)
		.join(', ');

/* On a page about one task. Its number among those of all processes may be another one, and a unit has none. */
function focus(task) {
	const rest = ' of this run is selected, and of single tasks those around it are in the page. All else is of the whole run.';
	const creation = readCreation();
	const number = creation?.singles[creation.focus]?.task;
	const href = number > 0 ? taskAddress(number) : '#timeline';
	return make('p', { id: 'focus' }, make('a', { href, text: `Task ${task}` }), rest);
}

function factsOf(summary) {
	const fact = (name, value, id = name) => ({ name, value: String(value), id: `fact-${id.replace(' ', '-')}` });
	return facts(
		some(
			fact(nounsOfAll(summary).threads, summary.threads, 'threads'),
			fact('processes', summary.processes),
			!summary.part?.task && fact('explicit tasks', summary.tasks.explicit),
			fact('records', summary.records),
			fact('run', time((summary.answer ?? summary.time).wall_ns)),
		),
	);
}

/* Whether the threads had processors is not known for some of the work; null: for less than a hundredth of it. */
function unknownSwitches(processors, { a_thread }) {
	const rule = `${a_thread} without a processor counts as working`;
	if (!processors) return `Context switches were not recorded: ${rule}.`;
	const share = processors.work_ns > 0 ? processors.unknown_ns / processors.work_ns : 0;
	return share < 0.01 ? null : `Context switches are unknown for ${percent(share)} of the work: there ${rule}.`;
}

/* ---- Limits ---- */

function limitCards(answer, data, view) {
	const cards = [answer, ...answer.others].map((row, i) => limitCard(row, i === 0, data, view));
	return make('div', { class: 'cards' }, cards);
}

function limitCard(row, isFirst, data, view) {
	const { process } = data.summary.answer;
	const { label, file } = row.construct;
	const found = data.constructs.find(c => c.process === process && c.label === label && c.file === (file ?? ''));
	const isLimit = row.limit !== 'none';
	const source = found?.source && `${found.file.split('/').pop()}:${found.line}  ${found.source}`;
	return make(
		'div',
		{ class: 'card limit', 'data-limit': row.limit },
		make('p', { class: isFirst ? 'sentence' : '', text: row.sentence }),
		isLimit && make('p', { class: 'gain', text: lossAndGain(row) }),
		row.try && make('p', { class: 'try', text: `Try ${row.try}.` }),
		source && make('pre', { text: source, title: source }),
		isLimit && make('p', {}, linkToSection(row, found, data, view)),
	);
}

/* Selects the construct of the limit as well, and highlights its states. */
function linkToSection({ limit }, construct, data, view) {
	const wanted = SEEN_IN[limit] ?? 'timeline';
	const section = wanted === 'waits' && data.waits.length === 0 ? 'timeline' : wanted;
	return make('a', {
		href: `#${section}`,
		text: `See it in ${TITLES[section] ?? overTime(data.summary)}`,
		onclick: () => view.highlight(construct, section === 'timeline' ? (STATES[limit] ?? null) : null),
	});
}

/* ---- The efficiency, and where the time of all threads went ---- */

function efficiencyProduct(efficiency, words) {
	const factor = (attributes, share, text) =>
		make('div', attributes, make('b', { text: percent(share) }), make('span', { text }));
	return make(
		'div',
		{ class: 'product', id: 'efficiency' },
		factor({ class: 'factor total' }, efficiency.total, `of the ${words.threads}’ time is work`),
		factors(words).map(([key, name, title], i) => [
			make('i', { text: i === 0 ? '=' : '×' }),
			factor({ class: 'factor', title }, efficiency[key], name),
		]),
	);
}

/* A bar of all parts, and its legend. */
function account(answer) {
	const total = answer.wall_ns * answer.threads;
	const parts = Object.entries(answer.account_ns)
		.filter(([, ns]) => ns > 0)
		.map(([name, ns]) => ({ name, ns, color: COLORS[name] ?? 'unknown' }));
	const title = ({ name, ns }) => `${name} ${percent(ns / total, 1)}`;
	const stripe = part =>
		make('span', { style: `width:${(100 * part.ns) / total}%;background:var(--${part.color})`, title: title(part) });
	const item = part => make('li', {}, swatch(part.color), title(part).replace('_', ' '));
	return [
		make('div', { class: 'bar', ...image(parts.map(title).join(', ')) }, parts.map(stripe)),
		make('ul', { class: 'legend', id: 'account' }, parts.map(item)),
	];
}

const paragraph = (text, id) => make('p', { id, text });

/* All that needs an answer. */
function answerParts(data, view) {
	const { answer, processes, processors } = data.summary;
	const words = nouns(data.summary);
	const unknown = unknownSwitches(processors, words);
	const blocked = answer.blocked_ns > 0 ? `; ${words.tasks} were blocked for ${time(answer.blocked_ns)}` : '';
	const bounds = `The longest chain takes ${time(answer.span_ns)}; all work ${time(answer.work_ns)}${blocked}.`;
	return [
		processes > 1 && paragraph(`Of process ${answer.process}, which lost most of ${processes}.`),
		make(
			'div',
			{ class: 'overview' },
			limitCards(answer, data, view),
			make(
				'div',
				{},
				account(answer),
				efficiencyProduct(answer.efficiency, words),
				unknown && paragraph(unknown, 'unknown-switches'),
				answer.span_ns > 0 && paragraph(bounds, 'bounds'),
			),
		),
	];
}

const NO_ANSWER = 'What limits a run is found for OpenMP programs; this one has no OpenMP, or not enough of it was recorded.';

export default {
	id: 'answer',
	title: 'What limits this run',
	about: 'What cost this run most time, what could be done about it, and where the time of all threads went',
	draw(element, data, view) {
		const { summary } = data;
		const early = endedEarly(summary);
		const lines = early ? [] : warnings(summary);
		const task = summary.part?.task;
		if (lines.length > 0) element.prepend(alarm(lines));
		if (early) element.prepend(note(early));
		if (task) element.prepend(focus(task));
		append(element, factsOf(summary), summary.answer ? answerParts(data, view) : paragraph(NO_ANSWER));
	},
};
