/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the colours and lines of the time line mean, and the switch between states and constructs.
 */
import { button, make, replace, swatch } from '../dom.js';
import { CLASSES } from '../states.js';
import { ARROWS } from '../tasks/arrows.js';

const item = (tone, title) => make('li', {}, swatch(tone), title);

const arrowItem = ({ line, tone, title }) =>
	make('li', {}, make('i', { class: 'line', style: `border-top:3px ${line} var(--${tone})` }), title);

/* {element, fill}: fill(isByConstruct, hasArrows) puts in what is drawn. `constructs`: those of the lanes, the largest first, of
 * which `tonedCount` have a colour of their own. */
export function makeLegend({ rows, processes }, constructs, tonedCount) {
	const seen = new Set(rows.flatMap(row => [...new Set(row.states)].map(state => row.process.classes[state])));
	const states = CLASSES.map(({ name, title }, i) => seen.has(i) && item(name, title));
	const ofConstructs = [
		constructs.slice(0, tonedCount).map(({ tone, label }) => item(tone, label)),
		constructs.length > tonedCount && item('idle', 'other constructs'),
		item('empty', 'no task'),
	];
	const always = [
		processes.some(p => p.queueRows.length > 0) && [
			item('work', 'kernels of devices'),
			item('target', 'transfers of devices'),
		],
		processes.some(p => p.path?.length > 0) && item('path', 'critical path'),
	];
	const arrows = ARROWS.map(arrowItem);
	const element = make('ul', { class: 'legend', id: 'timeline-legend' });
	const fill = (isByConstruct, hasArrows) =>
		replace(element, isByConstruct ? ofConstructs : states, always, hasArrows && arrows);
	return { element, fill };
}

/* {element, set}: two buttons. `choose` is called with true for constructs, false for states; set() shows what is drawn. */
export function makeSwitch(choose) {
	const buttons = ['States', 'Constructs'].map((text, i) =>
		button(text, () => choose(i === 1), { id: `timeline-${text.toLowerCase()}`, 'aria-pressed': String(i === 0) }),
	);
	const set = isByConstruct => buttons.forEach((b, i) => b.setAttribute('aria-pressed', String((i === 1) === isByConstruct)));
	const element = make('div', { class: 'choices', role: 'group', 'aria-label': 'Colours of the time line' }, buttons);
	return { element, set };
}
