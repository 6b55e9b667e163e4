/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sides of a comparison, whether B is faster than A, and what limits each of two.
 */
import { alarm, append, facts, make } from '../dom.js';
import { capital, gain, percent, plural, some, time } from '../text.js';
import { changeText, letter, limitText, spread } from './words.js';

/* [class of the result, sentence]. */
function result(wall) {
	if (wall.slower) return ['slower', 'B is slower'];
	if (wall.faster) return ['faster', 'B is faster'];
	const noise = wall.interval ? 'noise, or ' : '';
	return ['same', `No difference beyond ${noise}${percent(wall.threshold)}`];
}

/* Why the result may be wrong; '': no reason is known. */
function reserve(wall, sides) {
	if (!wall.interval)
		return `A side has one run: noise is not known, and the threshold of ${percent(wall.threshold, 1)} decides.`;
	if (wall.chance <= 0.05) return '';
	const runs = sides.map(side => side.runs.length).join(' and ');
	return `With ${runs} runs, by chance alone ${percent(wall.chance)} of comparisons find a difference.`;
}

function verdict({ wall_ns: wall }, sides) {
	const [name, sentence] = result(wall);
	const note = reserve(wall, sides);
	const times = sides.map((_, i) => `${letter(i)} ${spread(wall[i === 0 ? 'a' : 'b'], time)}`).join(', ');
	const attributes = {
		class: 'card limit',
		id: 'diff-verdict',
		'data-verdict': name,
		'data-limit': name === 'slower' ? 'slower' : 'none',
	};
	return make(
		'div',
		attributes,
		make('p', { class: 'sentence', text: `${sentence}: ${changeText(wall)}` }),
		make('p', { text: times }),
		note && make('p', { class: 'gain', text: note }),
	);
}

/* What there is to gain, where something limits the side, and in how many runs, if not in all. */
function aboutLimit(limit, nRuns) {
	const texts = some(limit.limit !== 'none' && gain(limit), limit.runs < nRuns && `in ${limit.runs} of ${nRuns} runs`);
	return capital(texts.join('; '));
}

function sideCard({ limit, runs }, i, isChanged) {
	const about = aboutLimit(limit, runs.length);
	const same = isChanged ? 'This is another limit than that of A.' : 'This is the limit of A as well.';
	return make(
		'div',
		{ class: 'card', 'data-side': letter(i) },
		make('p', {}, make('b', { text: `${letter(i)} is limited by ${limitText(limit)}` })),
		about && make('p', { class: 'gain', text: about }),
		i === 1 && make('p', { id: 'diff-limit', text: same }),
	);
}

function verdictCards(comparison, sides) {
	const cards = sides.map((side, i) => sideCard(side, i, comparison.limit_changed));
	return make('div', { class: 'cards' }, verdict(comparison, sides), cards);
}

const runsText = ({ runs, threads, wall_ns: wall }, i) =>
	`${letter(i)}: ${plural(runs.length, 'run')} on ${plural(threads, 'thread')}, ${time(wall)}`;

export default {
	id: 'answer',
	title: 'What differs',
	about: 'Which side is faster, and what limits each',
	draw(element, { sides, comparison }) {
		const bad = sides.flatMap(side => side.runs.filter(run => !run.good)).map(run => run.path);
		if (bad.length > 0) {
			const about = 'incomplete, still written, or repaired';
			element.prepend(alarm([`${plural(bad.length, 'run')} ${about}: ${bad.join(', ')}`]));
		}
		append(
			element,
			facts(sides.map((side, i) => ({ name: runsText(side, i), value: side.name }))),
			comparison && verdictCards(comparison, sides),
		);
	},
};
