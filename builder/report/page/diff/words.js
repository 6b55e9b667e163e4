/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sides of a comparison and changes between them in words.
 */
import { percent } from '../text.js';

/* The name of the side with this index: A, B ... */
export const letter = i => String.fromCharCode(65 + (i % 26));

/* A construct of a side; null: it has none. */
export const nameOf = place => (place === null ? 'none' : place.label || place.kind);

export const limitText = ({ limit, construct }) => limit + (construct ? ` of ${construct.label}` : '');

/* The median of the runs of a side, and the range if they differ. `text` writes a figure. */
export const spread = ({ median, least, most }, text) => text(median) + (most > least ? ` (${text(least)} to ${text(most)})` : '');

const signed = share => (share > 0 ? '+' : '') + percent(share, 1);

/* How much a figure changed from A to B, as a share of A, and the interval of that. */
export function changeText({ a, b, difference, interval }) {
	if (a.median <= 0) return b.median > 0 ? 'new' : '0 %';
	const edges = interval ? ` (${interval.map(edge => signed(edge / a.median)).join(' to ')})` : '';
	return difference === 0 ? '0 %' : signed(difference / a.median) + edges;
}
