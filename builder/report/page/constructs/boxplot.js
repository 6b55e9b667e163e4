/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Own times of a construct on a logarithmic scale: a line from the least to the largest, a box from the first to the third
 * quartile, and a mark at the median.
 */
import { image, makeSvg } from '../dom.js';
import { time } from '../text.js';

const NAMES = ['least', '10 %', 'quarter', 'median', 'three quarters', '90 %', 'largest'];

/* All of them as text. */
export const quantiles = times => times.map((ns, i) => `${NAMES[i]} ${time(ns)}`).join(' · ');

/* `times`: least, 10 %, quartile, median, quartile, 90 %, largest, in ns. The scale is from `first`, which
 * is above 0, to `end`, which is above that. */
export function boxplot(times, { first, end }) {
	const x = ns => (ns <= first ? 0 : (Math.log(ns / first) / Math.log(end / first)) * 100);
	const [least, , low, median, high, , largest] = times;
	const about = `from ${time(least)} to ${time(largest)}, half below ${time(median)}`;
	return makeSvg(
		'svg',
		{ viewBox: '0 0 100 12', class: 'box', ...image(about) },
		makeSvg('title', { text: quantiles(times) }),
		makeSvg('line', { x1: x(least), x2: x(largest), y1: 6, y2: 6, class: 'whisker' }),
		makeSvg('rect', { x: x(low), width: Math.max(x(high) - x(low), 1), y: 2, height: 8, class: 'quartiles' }),
		makeSvg('line', { x1: x(median), x2: x(median), y1: 1, y2: 11, class: 'median' }),
	);
}
