/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The columns of the table of constructs: {name, about, value(construct), text(construct), isNumber}. `value` is what they are
 * sorted by, `about` what they mean.
 */
import { percent, some, time } from '../text.js';

const count = (name, value) => ({ name, value, text: c => String(value(c)), isNumber: true });

const label = (name, value) => ({ name, value, text: value, isNumber: false });

/* A time in ns, as text where `isKnown`. */
const duration = (name, value, isKnown = () => true) => ({
	name,
	value,
	text: c => (isKnown(c) ? time(value(c)) : ''),
	isNumber: true,
});

/* A time in ns, as a share of `total`, which is known of one process alone. */
const share = (name, value, total, process, most = Infinity) => ({
	name,
	value,
	text: c => (total > 0 && c.process === process ? percent(Math.min(value(c) / total, most)) : ''),
	isNumber: true,
});

const ABOUT = {
	process: 'the process that executed it',
	construct: 'its kind and its place in the source',
	function: 'the function that it is in',
	count: 'how often it was executed',
	executed: 'the time that threads executed it, without what is inside of it and has a row of its own',
	mean: 'the time executed each time, on average',
	'one costs': 'what creating and starting one of its tasks costs, on average',
	waiting: 'how long threads waited there, all together',
	path: 'its share of the critical path, the longest chain of work that waits for other work',
	blame: 'its share of the time that threads did not work, as the cause of that',
};

const RESTS = { blocked: 'blocked', devices: 'transfers and kernels', no_construct: 'of no construct' };

/* What a share has beside all constructs, as text; null: nothing that is worth a word. */
function restOf(answer, what, key) {
	const parts = Object.entries(RESTS)
		.filter(([name]) => answer.rest[name][key] >= 0.005)
		.map(([name, title]) => `${percent(answer.rest[name][key])} ${title}`);
	return parts.length > 0 ? `Beside them ${what} has ${parts.join(', ')}.` : null;
}

export function restsOf({ summary: { answer } }) {
	if (!answer?.rest) return '';
	return some(restOf(answer, 'the critical path', 'path_share'), restOf(answer, 'the loss', 'blame_share')).join(' ');
}

export function columnsOf({ processes, summary: { answer } }) {
	const span = answer?.span_ns || 0;
	const loss = answer ? answer.wall_ns * answer.threads - answer.account_ns.work : 0;
	const columns = [
		...(processes.length > 1 ? [{ ...count('process', c => c.process), isNumber: false }] : []),
		label('construct', c => c.label),
		label('function', c => c.function),
		count('count', c => c.count),
		duration('executed', c => c.own_ns),
		duration(
			'mean',
			c => (c.count ? c.own_ns / c.count : 0),
			c => c.count,
		),
		duration(
			'one costs',
			c => c.cost_ns ?? -1,
			c => c.cost_ns !== null,
		),
		duration(
			'waiting',
			c => c.wait_ns,
			c => c.wait_ns,
		),
		share('path', c => c.path_ns, span, answer?.process, 1),
		share('blame', c => c.blamed_ns, loss, answer?.process),
	];
	return columns.map(column => ({ ...column, about: ABOUT[column.name] }));
}
