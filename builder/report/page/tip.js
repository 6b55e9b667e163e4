/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one tip of the page, which follows the mouse.
 */
import { byId, replace, make } from './dom.js';

const element = () => byId('tip');

/* Beside the mouse, and within the window. */
export function showTip(event, lines) {
	const tip = element();
	replace(
		tip,
		lines.map(text => make('div', { text })),
	);
	tip.hidden = false;
	const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const below = event.clientY + 18;
	const y = below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : below;
	tip.style.left = `${Math.max(x, 4)}px`;
	tip.style.top = `${Math.max(y, 4)}px`;
}

/* Beside an element that has the focus. */
export function showTipAt(element, lines) {
	const { right, top } = element.getBoundingClientRect();
	showTip({ clientX: right, clientY: top }, lines);
}

export function hideTip() {
	element().hidden = true;
}

/* Listeners of an element that has a tip. */
export const tipListeners = lines => ({ onmousemove: event => showTip(event, lines), onmouseleave: hideTip });
