/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times, shares and names as texts of the page.
 */
const UNITS = ['ns', 'us', 'ms', 's'];

function digits(value, unit) {
	if (unit === 0 || value >= 99.95) return 0;
	return value >= 9.995 ? 1 : 2;
}

/* A time in three digits with its unit, as otter-build prints it. */
export function time(ns) {
	let unit = 0;
	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	return `${ns.toFixed(digits(ns, unit))} ${UNITS[unit]}`;
}

/* A time on an axis whose marks are `step` apart, and which ends at `end`, all in ns. */
export function mark(ns, step, end) {
	const power = [1e4, 1e7, 1e10].filter(limit => end >= limit).length;
	const unit = 1000 ** power;
	return `${(ns / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))} ${UNITS[power]}`;
}

/* A point of time to the nanosecond. */
export const seconds = ns => `${(ns / 1e9).toFixed(9)} s`;

export const percent = (share, decimals = 0) => `${(100 * share).toFixed(decimals)} %`;

/* The number with its noun. */
export const plural = (n, noun) => `${n} ${noun}${n === 1 ? '' : 's'}`;

const OPENMP = { thread: 'thread', a_thread: 'a thread', threads: 'threads', tasks: 'tasks' };

/* What the run calls its threads and tasks: OpenMP's words, but where its paradigm has its own. */
export const nouns = summary => summary.answer?.nouns ?? OPENMP;

/* The same for what is of all processes: the answer's words are those of one of them. */
export const nounsOfAll = summary => (summary.processes > 1 ? OPENMP : nouns(summary));

/* With a capital letter, as a sentence begins. */
export const capital = text => text.replace(/^./, c => c.toUpperCase());

/* The title of the section with all threads over time. */
export const overTime = summary => `${capital(nounsOfAll(summary).threads)} over time`;

/* A name of the data, such as wait_taskwait, as words. */
export const words = name => name.replaceAll('_', ' ');

/* Sorts objects by their times `ns`, the longest first. */
export const byTime = list => [...list].sort((a, b) => b.ns - a.ns);

/* The texts in one list: lists among them are joined, false and null are left out. */
export const some = (...texts) => texts.flat().filter(Boolean);

/*
 * A limit's share of the loss, and what fixing it gives: an upper bound, or where `lower_bound` is set a lower one
 * (docs/analyses.md). One thread that works all the time loses nothing.
 */
export function lossAndGain(limit) {
	const share = limit.why.sort === 'alone' ? '' : `${percent(limit.loss_share)} of the lost time; `;
	return share + gain(limit);
}

/* A run's limit says so in `why`, that of a side of a comparison itself. */
const isUnknown = limit => (limit.why ?? limit).gain_known === false;

export function gain(limit) {
	if (isUnknown(limit)) return 'gain not known';
	return `fixing it: at ${limit.lower_bound ? 'least' : 'most'} ${limit.possible_speedup.toFixed(2)}x faster`;
}
