/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Own times of a construct on a logarithmic scale: a line from the least to the largest, a box from the first to the third
 * quartile, and a mark at the median.
 */
import { image, makeSvg } from '../dom.js';
import { time } from '../text.js';

/* `times`: least, 10 %, quartile, median, quartile, 90 %, largest, in ns. `most`: the end of the scale, above 1. */
export function boxplot(times, most) {
	const x = ns => (ns <= 0 ? 0 : Math.max(0, Math.log(ns) / Math.log(most)) * 100);
	const [least, , low, median, high, , largest] = times;
	const about = `from ${time(least)} to ${time(largest)}, half below ${time(median)}`;
	return makeSvg(
		'svg',
		{ viewBox: '0 0 100 12', class: 'box', ...image(about) },
		makeSvg('title', { text: times.map(time).join(' · ') }),
		makeSvg('line', { x1: x(least), x2: x(largest), y1: 6, y2: 6, class: 'whisker' }),
		makeSvg('rect', { x: x(low), width: Math.max(x(high) - x(low), 1), y: 2, height: 8, class: 'quartiles' }),
		makeSvg('line', { x1: x(median), x2: x(median), y1: 1, y2: 11, class: 'median' }),
	);
}
