/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the builder wrote into the page (docs/report.md), ready to be drawn. Times are ns since the first process began.
 */
import { readScript } from './dom.js';
import { inflate, lanesOf, queuesOf, rowsOf } from './decode.js';
import { classOf } from './states.js';

/* The key of a construct of a process, which is its number there, among those of all processes. */
export const keyOf = (process, construct) => `${process}:${construct}`;

/* The construct with this key; undefined: the page has none. */
export const findConstruct = (data, key) => data.constructs.find(construct => construct.key === key);

/* {summary, processes, begin, end, title, rows, constructs, waits}: the last three of all processes. */
export async function read() {
	const summary = readScript('otter-summary');
	const processes = [...document.querySelectorAll('script.otter-process')].map(script => JSON.parse(script.textContent));
	const first = Math.min(...processes.map(p => p.start_ns));
	for (const process of processes) {
		process.offset = processes.length > 1 ? process.start_ns - first : 0;
		await decode(process);
		for (const list of [process.constructs ?? [], process.waits ?? []]) addKeys(list, process.process);
	}
	return {
		summary,
		processes,
		...extentOf(processes),
		title: titleOf(summary),
		rows: processes.flatMap(p => p.rows),
		constructs: processes.flatMap(p => p.constructs ?? []),
		waits: processes.flatMap(p => p.waits ?? []),
	};
}

/* Adds to a process `classes` by state, its rows with their lanes, and `queueRows`. */
async function decode(process) {
	const { lanes, intervals } = process;
	const lanesOfRows = lanes?.stretches ? lanesOf(await inflate(lanes.stretches), process) : [];
	const rows = intervals ? rowsOf(await inflate(intervals), process) : [];
	process.classes = process.states.map(classOf);
	process.rows = rows.filter(row => row.ends.length > 0);
	process.rows.forEach(row => {
		row.lane = lanesOfRows[row.place];
	});
	process.queueRows = queuesOf(process);
	process.intervals = null; /* large, and decoded now */
}

function addKeys(rows, process) {
	for (const row of rows) {
		row.key = keyOf(process, row.row);
		row.process = process;
	}
}

/* From the begin of the first process to the end of the last one, at least 1 ns. */
function extentOf(processes) {
	if (processes.length === 0) return { begin: 0, end: 1 };
	const begin = Math.min(...processes.map(p => p.begin_ns + p.offset));
	const end = Math.max(...processes.map(p => p.end_ns + p.offset));
	return { begin, end: end > begin ? end : 1 };
}

function titleOf({ program, part }) {
	const task = part?.task ? `task ${part.task} of ` : '';
	return `${task}${program.split('/').pop()} — Otter report`;
}
