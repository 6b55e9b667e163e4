/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of the page. Names of a program become text nodes, never markup.
 */
export const root = document.documentElement;

export const byId = id => document.getElementById(id);

/* The data of a script of the page, null: the page has none with this id. */
export const readScript = id => byId(id) && JSON.parse(byId(id).textContent);

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes)) {
		if (key === 'text') element.textContent = value;
		else if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined) element.setAttribute(key, value);
	}
	append(element, children);
	return element;
}

/* Children are elements, texts, and lists of them; those that are false or null are left out. */
export function append(element, ...children) {
	element.append(...children.flat(Infinity).filter(Boolean));
}

/* The same in place of all children. */
export function replace(element, ...children) {
	element.replaceChildren();
	append(element, ...children);
}

/* An element of HTML. Attributes are set, but `text` is its text, those that begin with "on" are listeners, and those that are
 * null or undefined are left out. Children are as those of append(). */
export const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/* An element of SVG. */
export const makeSvg = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/* A text in SVG; `anchor`: whether its start, middle or end is at x. */
export const svgText = (x, y, anchor, text) => makeSvg('text', { x, y, 'text-anchor': anchor, text });

/* Attributes of a drawing, for screen readers. */
export const image = about => ({ role: 'img', 'aria-label': about });

export const button = (text, onclick, attributes = {}) => make('button', { type: 'button', text, onclick, ...attributes });

/* A choice between options [value, text]. */
export function choice(id, options, attributes = {}) {
	const elements = options.map(([value, text]) => make('option', { value, text }));
	return make('select', { id, ...attributes }, elements);
}

/* A paragraph that explains how a section is used. */
export const hint = text => make('p', { class: 'hint', text });

/* A line about what is selected in a section. */
export const details = id => make('p', { id, class: 'details', role: 'status' });

/* What a reader must know before the figures. */
export function alarm(lines) {
	const paragraphs = lines.map(text => make('p', { text }));
	return make('div', { class: 'alarm', role: 'alert' }, paragraphs);
}

/* What a reader should know, where nothing is wrong. */
export const note = text => make('p', { class: 'note', role: 'status', text });

/* Facts {name, value, id}. */
export function facts(list) {
	const fact = ({ name, value, id }) => make('div', {}, make('dt', { text: name }), make('dd', { id, text: value }));
	return make('dl', { class: 'facts' }, list.map(fact));
}

/* A square of this colour, for legends. */
export const swatch = tone => make('i', { style: `background:var(--${tone})` });

/* A colour of styles/colours.css, as it is now. */
export const color = name => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

/* ---- Listeners ---- */

/* Adds listeners {type: listener}. */
export function listen(element, listeners) {
	for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
}

/* Turning the wheel does not scroll the page, if the listener prevents it. */
export const listenToWheel = (element, listener) => element.addEventListener('wheel', listener, { passive: false });

/* Ctrl, Meta or Alt. */
export const hasModifier = event => event.ctrlKey || event.metaKey || event.altKey;

/* Calls the function that `keys` {key: function} has for the key of the event, in place of the browser's own action. Returns
 * whether there is one. */
export function press(event, keys) {
	const is = event.key in keys;
	if (is) {
		keys[event.key]();
		event.preventDefault();
	}
	return is;
}

/* Whether the key acts as a click does; if so, the browser does nothing else for it. */
export function isActivation(event) {
	const is = event.key === 'Enter' || event.key === ' ';
	if (is) event.preventDefault();
	return is;
}
