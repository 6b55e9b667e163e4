/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of the page. A wide one scrolls sideways.
 */
import { make } from './dom.js';

/* `heads`: cells of the first row. */
export const table = (attributes, heads, body, caption) =>
	make('div', { class: 'scroll' }, make('table', attributes, caption, make('thead', {}, make('tr', {}, heads)), body));

const classOf = isNumber => ({ class: isNumber ? 'number' : '' });

/* `about`: what the column has, in words. */
export const head = (text, isNumber = false, about = null) =>
	make('th', { scope: 'col', title: about, ...classOf(isNumber), text });

export const cell = text => make('td', { text });

export const number = text => make('td', { ...classOf(true), text });

/* A field for words that rows must have. */
export const filterInput = oninput =>
	make('input', {
		type: 'search',
		placeholder: 'Filter by name, file or function',
		'aria-label': 'Filter constructs',
		oninput,
	});

/* A function that returns whether a text has all words that are typed. */
export function matcher(typed) {
	const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
	return text => words.every(word => text.toLowerCase().includes(word));
}
