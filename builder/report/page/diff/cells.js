/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The cells of a figure that a table compares: of A, of B, how it changed, and a bar of each.
 */
import { image, make, makeSvg } from '../dom.js';
import { number } from '../table.js';
import { time } from '../text.js';
import { changeText, spread } from './words.js';

const LEAST = 0.6; /* % of the width that can be seen */

/* What is shown of constructs: a figure of theirs, `text` that writes it, and the largest median of all rows, which is as wide
 * as a bar can be. */
export function cells(row, { figure, text, largest }) {
	const change = row[figure];
	return [
		number(row.a ? spread(change.a, text) : ''),
		number(row.b ? spread(change.b, text) : ''),
		changeCell(change),
		make('td', {}, bars(change, largest)),
	];
}

/* A change that counts is marked. */
function changeCell(change) {
	const [style, mark] = change.difference > 0 ? [' more', ' ▲'] : [' less', ' ▼'];
	const { changed } = change;
	return make('td', {
		class: `number${changed ? style : ''}`,
		text: changeText(change) + (changed ? mark : ''),
	});
}

function bars({ a, b }, largest) {
	const bar = (y, value, tone) =>
		makeSvg('rect', {
			x: 0,
			y,
			width: Math.max((100 * value) / largest, value > 0 ? LEAST : 0),
			height: 5,
			style: `fill:var(--${tone})`,
		});
	const attributes = {
		viewBox: '0 0 100 12',
		class: 'box',
		preserveAspectRatio: 'none',
		...image(`A ${time(a.median)}, B ${time(b.median)}`),
	};
	return makeSvg('svg', attributes, bar(0, a.median, 'barrier'), bar(6, b.median, 'mutex'));
}

/* The words for how a construct of A matches one of B. */
export const MATCHES = { new: 'new', gone: 'gone', moved: 'moved', same: '' };
