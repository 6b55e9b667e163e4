/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the builder wrote into the page (docs/report.md), ready to be drawn. Times are ns since the first process began.
 */
export const CLASSES = [
	{ name: 'work', title: 'work', has: /^work/ },
	{ name: 'overhead', title: 'runtime', has: /^overhead/ },
	{ name: 'tasks', title: 'waiting for tasks', has: /^wait_task/ },
	{ name: 'barrier', title: 'waiting at barriers', has: /^wait_barrier/ },
	{ name: 'mutex', title: 'waiting for mutexes', has: /^wait_(mutex|lock|critical|atomic|ordered)/ },
	{ name: 'target', title: 'waiting for devices', has: /^wait_target/ },
	{ name: 'preempted', title: 'preempted', has: /^preempted/ },
	{ name: 'blocked', title: 'blocked', has: /^blocked/ },
	{ name: 'idle', title: 'idle', has: /^idle/ },
	{ name: 'unknown', title: 'unknown', has: /./ },
];

export function classOf(state) {
	return CLASSES.findIndex(c => c.has.test(state));
}

async function inflate(text) {
	const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Reads numbers as in LEB128, one after the other. */
function reader(bytes) {
	let at = 0;
	return () => {
		let value = 0, scale = 1;
		for (;;) {
			const byte = bytes[at++];
			value += (byte & 0x7f) * scale;
			if (byte < 0x80)
				return value;
			scale *= 128;
		}
	};
}

/*
 * Which construct each row executed when: as the rows of states, with `states` a place in `constructs`, the last of which is
 * nothing; and `tasks` by stretch, where all stretches are in the page.
 */
function lanesOf(bytes, process) {
	const { lanes } = process, number = reader(bytes), places = new Map(lanes.constructs.map(([row], i) => [row, i])), none = lanes.constructs.length;
	const length = process.end_ns - process.begin_ns;
	return process.rows.map((_, place) => {
		const ends = [], states = [], tasks = [];
		let begin = process.begin_ns + process.offset;
		const put = (end, state, task) => { ends.push(end); states.push(state); tasks.push(task); };
		if (lanes.exact) {
			begin = number() + process.offset;
			let at = begin, task = 0;
			for (let n = number(); n > 0; n--) {
				const gap = number(), long = number(), construct = number(), change = number();
				task += change % 2 === 1 ? -(change + 1) / 2 : change / 2;
				if (gap > 0)
					put(at += gap, none, 0);
				put(at += long, places.get(construct), task === 0 ? 0 : task + lanes.before);
			}
		} else {
			for (let n = number(), window = 0; n > 0; n--) {
				const construct = number();
				window += number();
				put(begin + length * window / lanes.windows, construct === 0 ? none : places.get(construct - 1), 0);
			}
		}
		return { begin, ends: Float64Array.from(ends), states: Uint16Array.from(states), tasks, place };
	});
}

/* Queues of devices as rows of the time line, whose states are kinds of activities. */
const KINDS = ['kernel', 'transfer', 'other activity'];
export const QUEUE_CLASSES = ['work', 'target', 'overhead'].map(name => CLASSES.findIndex(c => c.name === name));

function queuesOf(process) {
	return (process.queues ?? []).filter(queue => queue.activities.length > 0).map(queue => {
		const ends = [], states = [], activities = [];
		let at = queue.activities[0][0];
		for (const activity of queue.activities) {
			const [begin, length, , kind] = activity;
			if (begin < at)
				continue;
			if (begin > at) {
				ends.push(begin + process.offset);
				states.push(KINDS.length);
				activities.push(null);
			}
			ends.push(at = begin + length);
			ends[ends.length - 1] += process.offset;
			states.push(kind);
			activities.push(activity);
		}
		return { name: 'device ' + queue.device + ' ' + queue.place.toString(16) + (queue.lane > 0 ? '+' + queue.lane : ''), process, begin: queue.activities[0][0] + process.offset, ends: Float64Array.from(ends), states: Uint8Array.from(states), activities, names: KINDS };
	});
}

/* The rows of a process: ends of intervals, and their states; the first one begins at `begin`. */
function rowsOf(bytes, process) {
	const number = reader(bytes);
	return process.rows.map((name, place) => {
		const begin = number() + process.offset, n = number(), ends = new Float64Array(n), states = new Uint8Array(n);
		let ticks = begin;
		for (let i = 0; i < n; i++) {
			states[i] = number();
			ticks += number();
			ends[i] = ticks;
		}
		return { name, process, place, begin, ends, states };
	});
}

export async function read() {
	const summary = JSON.parse(document.getElementById('otter-summary').textContent);
	const processes = [...document.querySelectorAll('script.otter-process')].map(script => JSON.parse(script.textContent));
	const first = Math.min(...processes.map(p => p.start_ns));
	for (const process of processes) {
		process.offset = processes.length > 1 ? process.start_ns - first : 0;
		process.classes = process.states.map(classOf);
		const lanes = process.lanes?.stretches ? lanesOf(await inflate(process.lanes.stretches), process) : [];
		process.rows = process.intervals ? rowsOf(await inflate(process.intervals), process).filter(row => row.ends.length > 0) : [];
		process.queueRows = queuesOf(process);
		process.rows.forEach(row => { row.lane = lanes[row.place]; });
		process.intervals = null;
		for (const list of [process.constructs ?? [], process.waits ?? []])
			list.forEach(row => { row.key = process.process + ':' + row.row; row.process = process.process; });
	}
	const begin = Math.min(...processes.map(p => p.begin_ns + p.offset)), end = Math.max(...processes.map(p => p.end_ns + p.offset));
	const program = summary.program.split('/').pop();
	return {
		summary, processes, begin: processes.length > 0 ? begin : 0, end: processes.length > 0 && end > begin ? end : 1,
		title: (summary.part?.task ? 'task ' + summary.part.task + ' of ' : '') + program + ' — Otter report', program,
		rows: processes.flatMap(p => p.rows), constructs: processes.flatMap(p => p.constructs ?? []), waits: processes.flatMap(p => p.waits ?? []),
	};
}
