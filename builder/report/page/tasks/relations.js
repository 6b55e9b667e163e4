/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How single tasks depend on each other, by the edges of the graph between them and synchronisations.
 */
import { byTime } from '../text.js';

const CHAIN = 100; /* the most steps of a chain */

const unique = list => [...new Set(list)];

export class Relations {
	#singles;
	#isTask;
	#into;
	#from;

	/* `isTask(single)`: false for synchronisations. */
	constructor(singles, links, isTask) {
		this.#singles = singles;
		this.#isTask = isTask;
		this.#into = singles.map(() => []);
		this.#from = singles.map(() => []);
		for (const link of links) {
			this.#into[link.target].push(link);
			this.#from[link.source].push(link);
		}
	}

	/* The singles at the other ends of edges that lead to this one, or start from it, and whose kind `has` accepts. */
	#sources(single, has = () => true) {
		return this.#into[single.index].filter(link => has(link.kind)).map(link => this.#singles[link.source]);
	}
	#targets(single, has) {
		return this.#from[single.index].filter(link => has(link.kind)).map(link => this.#singles[link.target]);
	}

	/* The task that created it; undefined if it is not known. Between a region's team and the task that encountered the
	 * region there is the region's begin. */
	creator(single) {
		const [source] = this.#sources(single, kind => kind === 'create');
		if (source === undefined || this.#isTask(source)) return source;
		return this.#sources(source).find(this.#isTask) ?? source;
	}

	children(single) {
		return this.#targets(single, kind => kind === 'create').filter(this.#isTask);
	}

	/* The tasks that it waited for: by dependences before it began, and in its own synchronisations. */
	before(single) {
		const waits = this.#ownWaits(single).flatMap(wait => this.#sources(wait));
		return unique([...this.#dependences(single), ...waits.filter(s => this.#isTask(s) && s !== single)]);
	}

	/* The tasks that waited for it. */
	after(single) {
		const targets = this.#targets(single, kind => kind !== 'create' && kind !== 'sequence');
		const tasks = targets.flatMap(target => (this.#isTask(target) ? [target] : this.#waiters(target)));
		return unique(tasks.filter(task => task !== single));
	}

	#dependences(single) {
		return this.#sources(single, kind => kind !== 'create').filter(this.#isTask);
	}

	/* Its own synchronisations: those that come after it, and before it as well. */
	#ownWaits(single) {
		const sources = this.#sources(single);
		return this.#targets(single, kind => kind === 'sequence').filter(s => !this.#isTask(s) && sources.includes(s));
	}

	/* The tasks that wait in a synchronisation. */
	#waiters(wait) {
		return unique(this.#targets(wait, kind => ['sequence', 'join', 'barrier'].includes(kind)).filter(this.#isTask));
	}

	/* What delayed its begin, the first step first: its creation or the last of its dependences, what delayed that task, and
	 * so on: [{from, to, kind: 'created' or 'before', ns}], `ns` is the time of the cause in its process. */
	chain(single) {
		const steps = [];
		const seen = new Set([single]);
		for (let at = single; steps.length < CHAIN; at = steps[0].from) {
			const last = this.#lastCause(at, seen);
			if (!last) break;
			steps.unshift(last);
			seen.add(last.from);
		}
		return steps;
	}

	#lastCause(to, seen) {
		const creator = this.creator(to);
		const causes = this.#dependences(to).map(from => ({ from, to, kind: 'before', ns: from.end_ns }));
		if (creator) causes.unshift({ from: creator, to, kind: 'created', ns: to.create_ns });
		return byTime(causes.filter(cause => !seen.has(cause.from)))[0];
	}
}
