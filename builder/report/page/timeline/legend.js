/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the colours and lines of the time line mean, and the switches between states and constructs, and of the critical path.
 */
import { append, button, make, replace, swatch } from '../dom.js';
import { CLASSES } from '../states.js';
import { ARROWS } from '../tasks/arrows.js';

const item = (tone, title) => make('li', {}, swatch(tone), title);

const arrowItem = ({ line, tone, title }) =>
	make('li', {}, make('i', { class: 'line', style: `border-top:3px ${line} var(--${tone})` }), title);

/* {element, fill}: fill(isByConstruct, hasPath, hasArrows) puts in what is drawn. `constructs`: those of the lanes, the largest first, of
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
	];
	const arrows = ARROWS.map(arrowItem);
	const element = make('ul', { class: 'legend', id: 'timeline-legend' });
	const path = arrowItem({ line: 'solid', tone: 'path', title: 'critical path, below the rows' });
	const fill = (isByConstruct, hasPath, hasArrows) =>
		replace(element, isByConstruct ? ofConstructs : states, always, hasPath && path, hasArrows && arrows);
	return { element, fill };
}

/* {element, set}: two buttons for the colours, if `hasConstructs`, and one for the critical path, if `hasPath`. `choose` is
 * called with true for constructs, false for states, and `toggle` for the path; set() shows what is drawn. */
export function makeSwitch({ hasConstructs, choose, hasPath, toggle }) {
	const press = (element, isOn) => element.setAttribute('aria-pressed', String(isOn));
	const buttons = ['States', 'Constructs'].map((text, i) =>
		button(text, () => choose(i === 1), { id: `timeline-${text.toLowerCase()}` }),
	);
	const path = button('Critical path', toggle, { id: 'timeline-path', title: 'A line below the rows that it goes through' });
	const element = make('div', { class: 'choices', role: 'group', 'aria-label': 'What the time line shows' });
	append(element, hasConstructs && buttons, hasPath && path);
	const set = (isByConstruct, isPathShown) => {
		buttons.forEach((b, i) => press(b, (i === 1) === isByConstruct));
		press(path, isPathShown);
	};
	return { element, set };
}
