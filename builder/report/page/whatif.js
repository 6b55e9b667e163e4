/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What would be if: how fast the run would be on other numbers of threads, and with the best constructs so many times faster.
 * The figures are `what_if` and `speedups` of the answer (docs/analyses.md).
 */
import { chart, DASHES, legend, TONES } from './chart.js';
import { make, percent, time } from './dom.js';

const POLICIES = { run: 'as in the run', newest: 'newest first', oldest: 'oldest first', longest: 'longest way first' };

function threads(whatIf) {
	const xs = [...new Set(whatIf.curve.map(point => point.threads))].sort((a, b) => a - b), policies = [...new Set(whatIf.curve.map(point => point.policy))];
	const curves = policies.map((policy, i) => ({ name: POLICIES[policy] ?? policy, tone: TONES[i % TONES.length], dash: DASHES[i % DASHES.length],
		points: whatIf.curve.filter(point => point.policy === policy).sort((a, b) => a.threads - b.threads)
			.map(point => ({ x: point.threads, y: point.speedup, tip: [point.threads + ' threads: ' + time(point.wall_ns), point.speedup.toFixed(2) + ' x as fast'] })) }));
	const first = policies[0], bounds = whatIf.curve.filter(point => point.policy === first).sort((a, b) => a.threads - b.threads);
	const bound = { name: 'no faster, by the work and the longest way', tone: 'soft', dash: '', points: bounds.map(point => {
		const least = Math.max(point.work_bound_ns, point.span_ns, 1);
		return { x: point.threads, y: whatIf.simulated_ns / least, tip: [point.threads + ' threads: at least ' + time(least)] };
	}) };
	const all = [...curves, bound];
	return [make('h3', { text: 'On other numbers of threads' }),
		make('p', { class: 'hint', text: 'Simulated, with what each task cost in this run; the line marks the ' + whatIf.threads + ' threads that it had, for which the simulation is off by '
			+ percent(whatIf.error, 1) + '.' + (whatIf.simulated_nodes < whatIf.nodes ? ' ' + whatIf.nodes + ' nodes are simulated as ' + whatIf.simulated_nodes + '.' : '') }),
		chart(all, { id: 'whatif-threads', label: 'Speedup over threads', unit: 'threads', xs, mark: whatIf.threads }), legend(all)];
}

function constructs(speedups) {
	const limit = 2 * Math.max(...speedups.constructs.flatMap(row => row.curve.map(point => point.faster ?? 0)));
	const curves = speedups.constructs.map((row, i) => ({ name: row.construct.label + ' (' + percent(row.work_share) + ' of the work)', tone: TONES[i % TONES.length], dash: DASHES[i % DASHES.length],
		points: [{ x: 1, y: 1, tip: ['as it was'] }, ...row.curve.map(point => ({ x: point.faster ?? limit, y: point.speedup,
			tip: [point.faster === null ? 'taking no time' : point.faster + ' times faster', 'the run: ' + time(point.wall_ns) + ', ' + point.speedup.toFixed(2) + ' x as fast'] }))] }));
	const xs = [...new Set(curves.flatMap(curve => curve.points.map(point => point.x)))].sort((a, b) => a - b);
	const next = speedups.critical, more = next && next.then && next.then.label ? [make('p', { class: 'details', text: 'On the critical path ' + next.first.label + ' has ' + percent(next.first_share)
		+ '; were it twice as fast, ' + next.then.label + ' would have ' + percent(next.then_share) + ' of a path ' + next.path_speedup.toFixed(2) + ' times shorter.' })] : [];
	return [make('h3', { text: 'With one construct faster' }), make('p', { class: 'hint', text: 'The five constructs that are worth most; at the right end they take no time.' }),
		chart(curves, { id: 'whatif-constructs', label: 'Speedup of the run over that of a construct', unit: 'times faster', xs }), legend(curves), ...more];
}

export default {
	id: 'whatif', title: 'What if',
	draw(element, data) {
		const whatIf = data.summary.answer?.what_if, speedups = data.summary.answer?.speedups;
		const hasThreads = whatIf?.curve?.length > 0, hasConstructs = speedups?.constructs?.length > 0;
		if (hasThreads)
			element.append(...threads(whatIf));
		if (hasConstructs)
			element.append(...constructs(speedups));
		return hasThreads || hasConstructs;
	},
};
