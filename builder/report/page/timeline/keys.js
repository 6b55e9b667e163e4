/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The keys of the time line, beside those of everything that shows time.
 */
import { press } from '../dom.js';
import { timeKey } from '../view.js';

export function listenToKeys(canvas, view, timeline) {
	const keys = {
		Enter: () => timeline.selectMiddle(),
		ArrowDown: () => timeline.selectRow(1),
		ArrowUp: () => timeline.selectRow(-1),
		'[': () => timeline.selectNext(-1),
		']': () => timeline.selectNext(1),
		Escape: () => timeline.select(undefined, 0),
		c: () => timeline.toggleConstructs(),
		p: () => timeline.togglePath(),
	};
	canvas.addEventListener('keydown', event => timeKey(view, event) || press(event, keys));
}
