/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Estimates of other runs: on other numbers of threads, and with the best constructs several times as fast. The figures are
 * `what_if` and `speedups` of the answer (docs/analyses.md).
 */
import { ascending, chart, legend, style } from './chart.js';
import { append, hint, make } from './dom.js';
import { nouns, percent, time } from './text.js';

const POLICIES = { run: 'as in the run', newest: 'newest first', oldest: 'oldest first', longest: 'longest way first' };

/* A run that would take no time has no speedup. */
const timesAsFast = speedup => (speedup > 0 ? `${speedup.toFixed(2)}x faster` : 'no time');

/* ---- Other numbers of threads ---- */

/* The estimates with one policy of the scheduler, by threads. */
const estimates = ({ curve }, policy) => curve.filter(point => point.policy === policy).sort((a, b) => a.threads - b.threads);

function policyCurve(whatIf, words, policy, i) {
	const points = estimates(whatIf, policy).map(({ threads, speedup, wall_ns }) => ({
		x: threads,
		y: speedup,
		tip: [`${threads} ${words.threads}: ${time(wall_ns)}`, timesAsFast(speedup)],
	}));
	return { name: POLICIES[policy] ?? policy, ...style(i), points };
}

/* The upper bound, which is the same for all policies. */
function boundCurve(whatIf, words, policy) {
	const points = estimates(whatIf, policy).map(({ threads, work_bound_ns, span_ns }) => {
		const least = Math.max(work_bound_ns, span_ns, 1);
		return {
			x: threads,
			y: whatIf.simulated_ns / least,
			tip: [`${threads} ${words.threads}: at least ${time(least)}`],
		};
	});
	return { name: 'no faster, by the work and the longest way', tone: 'soft', dash: '', points };
}

function threadsHint({ threads, error, nodes, simulated_nodes: simulated }, words) {
	const folding = simulated < nodes ? ` ${nodes} nodes are simulated as ${simulated}.` : '';
	return (
		`Simulated, with what each task cost in this run; the line marks the ${threads} ${words.threads} that it had, ` +
		`for which the simulation is off by ${percent(error, 1)}.${folding}`
	);
}

/* A simulation that misses the run itself by more than a fifth is no estimate of another one. */
const isClose = whatIf => Math.abs(whatIf.error) <= 0.2;

const missed = ({ error, threads }, words) =>
	hint(
		`The simulation misses this run on ${threads} ${words.threads} by ${percent(error, 1)}, so no estimate of another one is shown.`,
	);

function threadsPart(whatIf, words) {
	const policies = [...new Set(whatIf.curve.map(point => point.policy))];
	const curves = [
		...policies.map((policy, i) => policyCurve(whatIf, words, policy, i)),
		boundCurve(whatIf, words, policies[0]),
	];
	const xs = ascending(whatIf.curve.map(point => point.threads));
	return make('div', {}, [
		make('h3', { text: `On other numbers of ${words.threads}` }),
		hint(threadsHint(whatIf, words)),
		chart(curves, {
			id: 'whatif-threads',
			label: `Speedup over ${words.threads}`,
			unit: words.threads,
			xs,
			measure: 'the run is so many times as fast',
			mark: whatIf.threads,
		}),
		legend(curves),
	]);
}

/* ---- Faster constructs ---- */

/* `limit`: the place of an infinite factor, at which a construct takes no time. */
function constructCurve({ construct, work_share, curve }, i, limit) {
	const points = curve.map(({ faster, speedup, wall_ns }) => ({
		x: faster ?? limit,
		y: speedup,
		tip: [
			faster === null ? 'taking no time' : `${faster} times faster`,
			`the run: ${time(wall_ns)}, ${timesAsFast(speedup)}`,
		],
	}));
	const name = `${construct.label} (${percent(work_share)} of the work)`;
	return { name, ...style(i), points: [{ x: 1, y: 1, tip: ['as it was'] }, ...points] };
}

/* What would limit the run next. */
function nextOnPath({ first, first_share, then, then_share, path_speedup }) {
	const now = `Of the longest chain, as simulated, ${first.label} has ${percent(first_share)}; were it twice as fast, `;
	const next = `${then.label} would have ${percent(then_share)} of a path ${path_speedup.toFixed(2)} times shorter.`;
	return make('p', { class: 'details', text: now + next });
}

function constructsPart({ constructs, critical }) {
	const limit = 2 * Math.max(1, ...constructs.flatMap(row => row.curve.map(point => point.faster ?? 0)));
	const curves = constructs.map((row, i) => constructCurve(row, i, limit));
	const xs = ascending(curves.flatMap(curve => curve.points.map(point => point.x)));
	const label = 'Speedup of the run over that of a construct';
	return make('div', {}, [
		make('h3', { text: 'With one construct faster' }),
		hint('The five constructs that are worth most; at the right end they take no time.'),
		chart(curves, {
			id: 'whatif-constructs',
			label,
			unit: 'how many times as fast the construct is',
			xs,
			measure: 'the run is so many times as fast',
			nameOf: x => (x === limit ? 'no time' : String(x)),
		}),
		legend(curves),
		critical?.then?.label && nextOnPath(critical),
	]);
}

/* The parts for other numbers of threads and for faster constructs. */
function parts(whatIf, speedups, words) {
	const hasThreads = whatIf?.curve?.length > 0;
	if (hasThreads && !isClose(whatIf)) return [missed(whatIf, words)];
	return [hasThreads && threadsPart(whatIf, words), speedups?.constructs?.length > 0 && constructsPart(speedups)].filter(
		Boolean,
	);
}

export default {
	id: 'whatif',
	title: 'What if',
	about: 'Estimates of the run on other numbers of threads, and with faster constructs',
	draw(element, data) {
		const { what_if: whatIf, speedups } = data.summary.answer ?? {};
		const drawn = parts(whatIf, speedups, nouns(data.summary));
		append(element, make('div', { class: 'pair' }, drawn));
		return drawn.length > 0;
	},
};
