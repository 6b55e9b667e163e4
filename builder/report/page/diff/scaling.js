/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How time and work grow with the number of threads, where the sides have several numbers.
 */
import { ascending, chart, legend } from '../chart.js';
import { append, make } from '../dom.js';
import { cell, head, number, table } from '../table.js';
import { percent, plural, time } from '../text.js';
import { letter, limitText, nameOf } from './words.js';

const SHOWN = 200;

/* A ratio as text; '' if the ratio is unknown. */
const ratio = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '');

/* The speedup over the base by threads, beside the ideal one, and the ideal one reduced by work inflation. */
function speedups(sides, base) {
	const xs = ascending(sides.map(side => side.threads));
	if (xs.length < 2) return null;
	const ideal = side => side.threads / base.threads;
	const curves = [
		{ name: 'measured', tone: 'work', dash: '', of: side => base.wall_ns / side.wall_ns },
		{ name: 'ideal: as many times as there are threads', tone: 'soft', dash: '', of: ideal },
		{
			name: 'ideal, less work inflation',
			tone: 'mutex',
			dash: '7 4',
			of: side => (ideal(side) * base.work_ns) / side.work_ns,
		},
	].map(({ of, ...curve }) => ({ ...curve, points: pointsOf(sides, of) }));
	const names = { id: 'diff-curve', label: 'Speedup over threads', unit: 'threads' };
	return [chart(curves, { ...names, xs }), legend(curves)];
}

const pointsOf = (sides, speedup) =>
	sides
		.map((side, i) => ({ side, name: letter(i), y: speedup(side) }))
		.filter(({ y }) => y > 0 && Number.isFinite(y))
		.map(({ side, name, y }) => ({
			x: side.threads,
			y,
			tip: [`${name} ${side.name}`, `${plural(side.threads, 'thread')}: ${y.toFixed(2)} x`],
		}))
		.sort((a, b) => a.x - b.x);

const HEADS = [
	['side', 'its letter and its name'],
	['threads', 'their number, as the median of its runs'],
	['time', 'of the whole run'],
	['speedup', 'how many times as fast it is as the first'],
	['efficiency', 'the speedup, divided by how many times as many threads there are'],
	['work', 'the time executed by all threads together'],
	['inflation', 'how many times as much work it has as the first'],
	['limit', 'what limits it'],
];

function sidesTable(sides, base) {
	const heads = HEADS.map(([text, about], i) => head(text, i > 0 && i < HEADS.length - 1, about));
	const row = (side, i) => {
		const speedup = base.wall_ns / side.wall_ns;
		return make(
			'tr',
			{},
			cell(`${letter(i)} ${side.name}`),
			number(ratio(side.threads, 0)),
			number(time(side.wall_ns)),
			number(ratio(speedup)),
			number(percent((speedup * base.threads) / side.threads)),
			number(time(side.work_ns)),
			number(ratio(side.work_ns / base.work_ns)),
			cell(limitText(side.limit)),
		);
	};
	return table({ id: 'diff-scaling', 'aria-label': 'Time and work by side' }, heads, make('tbody', {}, sides.map(row)));
}

/* What each construct executed in the base, and how many times as much in the other sides. */
function growthTable(sides, { base, constructs }) {
	const about = i => (i === base ? `time executed in ${letter(i)}` : `how many times as much in ${letter(i)}`);
	const heads = sides.map((_, i) => head(letter(i) + (i === base ? '' : ` ÷ ${letter(base)}`), true, about(i)));
	const text = (times, ns, i) => {
		if (i === base) return time(ns);
		if (ns === null) return 'gone';
		return times[base] > 0 ? ratio(ns / times[base]) : '';
	};
	const row = ({ construct, own_ns: times }) =>
		make(
			'tr',
			{},
			cell(nameOf(construct)),
			times.map((ns, i) => number(text(times, ns, i))),
		);
	const rows = [...constructs].sort((x, y) => Math.max(...y.own_ns) - Math.max(...x.own_ns)).slice(0, SHOWN);
	const attributes = { id: 'diff-growth', 'aria-label': 'Executed time of constructs by side' };
	return table(
		attributes,
		[head('construct', false, 'its kind and its place in the source'), heads],
		make('tbody', {}, rows.map(row)),
	);
}

export default {
	id: 'scaling',
	title: 'Numbers of threads',
	about: 'How the run scales with its number of threads',
	draw(element, { sides, scaling }) {
		if (!scaling) return false;
		const base = sides[scaling.base];
		append(
			element,
			speedups(sides, base),
			sidesTable(sides, base),
			make('h3', { text: 'What was executed, and how it grew' }),
			growthTable(sides, scaling),
		);
	},
};
