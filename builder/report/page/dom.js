/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements and texts of the page. Names of a program become text nodes, never markup.
 */
const SVG = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
	for (const [key, value] of Object.entries(attributes)) {
		if (key === 'text')
			element.textContent = value;
		else if (key.startsWith('on'))
			element.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined)
			element.setAttribute(key, value);
	}
	element.append(...children);
	return element;
}

export function make(name, attributes = {}, children = []) {
	return fill(document.createElement(name), attributes, children);
}

export function makeSvg(name, attributes = {}, children = []) {
	return fill(document.createElementNS(SVG, name), attributes, children);
}

/* A time in three digits with its unit, as the screen of otter-build has it. */
export function time(ns) {
	const units = ['ns', 'us', 'ms', 's'];
	let unit = 0;
	while (ns >= 999.5 && unit < 3) {
		ns /= 1000;
		unit++;
	}
	return ns.toFixed(unit === 0 || ns >= 99.95 ? 0 : ns >= 9.995 ? 1 : 2) + ' ' + units[unit];
}

/* A time on an axis whose marks are `step` apart, and which ends at `end`, all in ns. */
export function mark(ns, step, end) {
	const [unit, name] = end < 1e4 ? [1, 'ns'] : end < 1e7 ? [1e3, 'us'] : end < 1e10 ? [1e6, 'ms'] : [1e9, 's'];
	return (ns / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9))) + ' ' + name;
}

export function percent(share, digits = 0) {
	return (100 * share).toFixed(digits) + ' %';
}

/* What mending a limit gives: at most so much, but of grain at least (docs/analyses.md). */
export function gain(limit) {
	const times = limit.possible_speedup.toFixed(2) + ' x as fast';
	return limit.limit === 'grain' ? times + ', or more' : 'at most ' + times;
}

export function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

const tip = () => document.getElementById('tip');

export function showTip(event, lines) {
	const element = tip();
	element.replaceChildren(...lines.map(line => make('div', { text: line })));
	element.hidden = false;
	const x = Math.min(event.clientX + 14, innerWidth - element.offsetWidth - 8);
	const y = event.clientY + 18 + element.offsetHeight > innerHeight ? event.clientY - element.offsetHeight - 10 : event.clientY + 18;
	element.style.left = Math.max(x, 4) + 'px';
	element.style.top = Math.max(y, 4) + 'px';
}

export function hideTip() {
	tip().hidden = true;
}

/* Draws again when the element is resized, the colours change, or `view` tells. At most once a frame. */
export function redraw(element, view, draw) {
	let isAsked = false;
	const ask = () => {
		if (!isAsked)
			requestAnimationFrame(() => { isAsked = false; draw(); });
		isAsked = true;
	};
	new ResizeObserver(ask).observe(element);
	document.addEventListener('otter-redraw', ask);
	addEventListener('beforeprint', draw);
	view.listen(ask);
	draw();
}
