/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intervals of time without gaps: {begin, ends}. The first one begins at `begin`, each other one where the one before it
 * ends. All times are in ns.
 */

/* The index of the first interval that ends after this time; their number, if none does. */
export function find(ends, time) {
	let low = 0;
	let high = ends.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (ends[middle] <= time) low = middle + 1;
		else high = middle;
	}
	return low;
}

/* Where the interval at this index begins. */
export const beginOf = ({ begin, ends }, i) => (i === 0 ? begin : ends[i - 1]);
