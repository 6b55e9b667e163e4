/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dark or light: as the reader's system is, until the button changes it; and light on paper.
 */
import { byId, root } from './dom.js';

const set = isDark => {
	root.dataset.theme = isDark ? 'dark' : 'light';
};

const redrawAll = () => document.dispatchEvent(new Event('otter-redraw'));

export function startTheme() {
	set(matchMedia('(prefers-color-scheme: dark)').matches);
	/* These listeners come before those of redraw(): the page is light, and as wide as paper, when the sections draw. */
	let before = null;
	addEventListener('beforeprint', () => {
		before ??= root.dataset.theme;
		set(false);
		root.dataset.printing = '';
	});
	addEventListener('afterprint', () => {
		root.dataset.theme = before ?? root.dataset.theme;
		before = null;
		delete root.dataset.printing;
		redrawAll();
	});
	byId('theme').addEventListener('click', () => {
		set(root.dataset.theme !== 'dark');
		redrawAll();
	});
}
