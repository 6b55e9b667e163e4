/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What would be if: how fast the run would be on other numbers of threads, and with the best constructs so many times faster.
 * The figures are `what_if` and `speedups` of the answer (docs/analyses.md).
 */
import { hideTip, make, makeSvg, percent, showTip, time } from './dom.js';

const WIDTH = 620, HEIGHT = 300, LEFT = 46, RIGHT = 26, TOP = 12, BOTTOM = 40;
const TONES = ['work', 'tasks', 'mutex', 'overhead', 'target', 'blocked'];
const POLICIES = { run: 'as in the run', newest: 'newest first', oldest: 'oldest first', longest: 'longest way first' };
const DASHES = ['', '7 4', '2 3', '9 3 2 3', '4 2 4 6', '1 5'];

/* A chart of curves over the logarithm of x: {name, tone, dash, points: [{x, y, tip}]}. */
function chart(curves, { id, label, unit, xs, mark }) {
	const points = curves.flatMap(curve => curve.points), low = Math.log2(Math.min(...xs)), high = Math.log2(Math.max(...xs));
	const most = Math.max(1.1, ...points.map(point => point.y)), least = Math.min(1, ...points.map(point => point.y));
	const at = x => LEFT + (high > low ? (Math.log2(x) - low) / (high - low) : 0.5) * (WIDTH - LEFT - RIGHT);
	const up = y => HEIGHT - BOTTOM - (Math.log2(y) - Math.log2(least)) / (Math.log2(most) - Math.log2(least)) * (HEIGHT - TOP - BOTTOM);
	const steps = [];
	for (let y = 2 ** Math.ceil(Math.log2(least)); y <= most; y *= most / least > 64 ? 4 : most / least > 4 ? 2 : Math.SQRT2)
		steps.push(y);
	const number = y => y >= 100 ? y.toFixed(0) : y >= 10 ? y.toFixed(1) : y.toFixed(2);
	return makeSvg('svg', { class: 'scatter', id, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label }, [
		...steps.flatMap(y => [makeSvg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: up(y), y2: up(y) }),
			makeSvg('text', { x: LEFT - 6, y: up(y) + 4, 'text-anchor': 'end', text: number(y) + ' ×' })]),
		...xs.map(x => makeSvg('text', { x: at(x), y: HEIGHT - BOTTOM + 16, 'text-anchor': 'middle', text: String(x) })),
		makeSvg('text', { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 6, 'text-anchor': 'middle', text: unit }),
		...mark !== undefined ? [makeSvg('line', { class: 'cost', x1: at(mark), x2: at(mark), y1: TOP, y2: HEIGHT - BOTTOM })] : [],
		...curves.map(curve => makeSvg('polyline', { class: 'curve', 'data-name': curve.name, points: curve.points.map(p => at(p.x).toFixed(1) + ',' + up(p.y).toFixed(1)).join(' '),
			style: 'stroke:var(--' + curve.tone + ')', 'stroke-dasharray': curve.dash })),
		...curves.flatMap(curve => curve.points.map(p => makeSvg('circle', { cx: at(p.x), cy: up(p.y), r: 4, style: 'fill:var(--' + curve.tone + ')', 'data-y': p.y,
			onmousemove: event => showTip(event, [curve.name, ...p.tip]), onmouseleave: hideTip }))),
	]);
}

const legend = curves => make('ul', { class: 'legend' }, curves.map(curve => make('li', {}, [
	makeSvg('svg', { width: 34, height: 10 }, [makeSvg('line', { x1: 0, x2: 34, y1: 5, y2: 5, class: 'curve', style: 'stroke:var(--' + curve.tone + ')', 'stroke-dasharray': curve.dash })]),
	document.createTextNode(' ' + curve.name)])));

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
