/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intervals as pixels. Where several fall on one column of pixels, their colours are mixed by their shares of its time.
 */
import { beginOf, find } from '../intervals.js';

const FAINT = 0.18; /* how much of its colour keeps what is not of the selected construct */

/* One line of pixels of a row {begin, ends, states}. `tones`: the colour [red, green, blue] of each state; the background
 * shows through states without one. `strength`: how much of each column is not faint, from 0 to 1; null: all of it. */
export function paintLine(row, tones, strength, view, background, pixels) {
	const { ends, states } = row;
	const scale = (view.end - view.begin) / pixels.length;
	let i = find(ends, view.begin);
	let from = Math.max(beginOf(row, i), view.begin);
	for (let x = 0; x < pixels.length; x++) {
		const left = view.begin + x * scale;
		const right = left + scale;
		let red = 0;
		let green = 0;
		let blue = 0;
		let covered = 0;
		while (i < ends.length && from < right) {
			const length = Math.min(ends[i], right) - Math.max(from, left);
			const tone = tones[states[i]];
			if (tone !== undefined && length > 0) {
				const share = length / scale;
				red += tone[0] * share;
				green += tone[1] * share;
				blue += tone[2] * share;
				covered += share;
			}
			if (ends[i] > right) break;
			from = ends[i++];
		}
		const part = strength === null ? 1 : 1 - (1 - FAINT) * (1 - Math.min(strength[x], 1));
		const rest = Math.max(0, 1 - covered * part);
		pixels[x] =
			0xff000000 |
			((blue * part + background[2] * rest) << 16) |
			((green * part + background[1] * rest) << 8) |
			(red * part + background[0] * rest);
	}
}

/* Repeats the first line of an image of this width in all others. */
export function repeatLine(pixels, width) {
	for (let at = width; at < pixels.length; at += width) pixels.copyWithin(at, 0, width);
}
