/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all sections show together: the stretch of time, and the construct and the single task that are selected.
 */
export function makeView(data) {
	const listeners = [], all = { begin: data.begin, end: data.end };
	const view = {
		...all, all, construct: null, task: null,
		listen(listener) { listeners.push(listener); },
		tell() { listeners.forEach(listener => listener()); },
		show(begin, end) {
			const length = Math.min(Math.max(end - begin, 100), all.end - all.begin);
			view.begin = Math.min(Math.max(begin, all.begin), all.end - length);
			view.end = view.begin + length;
			view.tell();
		},
		zoom(factor, at) { view.show(at - (at - view.begin) * factor, at + (view.end - at) * factor); },
		pan(share) {
			const by = (view.end - view.begin) * share;
			view.show(view.begin + by, view.end + by);
		},
		reset() { view.show(all.begin, all.end); },
		select(construct) {
			view.construct = view.construct !== null && construct !== null && view.construct.key === construct.key ? null : construct;
			view.tell();
		},
		/* One of readSpawn().singles, or null. */
		selectTask(single) {
			view.task = single;
			view.tell();
		},
	};
	return view;
}

/* The keys of everything that shows time. Returns true if it was one. */
export function timeKey(view, event) {
	const middle = (view.begin + view.end) / 2;
	const keys = {
		ArrowLeft: () => view.pan(-0.15), ArrowRight: () => view.pan(0.15), '+': () => view.zoom(0.6, middle), '=': () => view.zoom(0.6, middle),
		'-': () => view.zoom(1 / 0.6, middle), 0: () => view.reset(), Home: () => view.show(view.all.begin, view.all.begin + view.end - view.begin),
		End: () => view.show(view.all.end - (view.end - view.begin), view.all.end),
	};
	if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey)
		return false;
	keys[event.key]();
	event.preventDefault();
	return true;
}
