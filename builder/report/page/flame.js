/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation as a flame graph: from the top down each construct lies below those that created it, as wide as what
 * was executed in it and below it. From the bottom up constructs are as wide as what they executed themselves, and below
 * lies who created them.
 */
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { color, hideTip, make, percent, redraw, showTip, time } from './dom.js';
import { constructOf, kindOf, readSpawn } from './spawn.js';

const METRICS = { own_ns: 'time that was executed', path_ns: 'time on the critical path' };

/* A node of the chart; `rows`: what it stands for. */
const nodeOf = row => ({ name: row.name, row, value: 0, own: 0, count: 0, children: [] });

/* Of each construct its own time, and within that who created it. */
function topDown(rows, metric) {
	const nodes = rows.map(nodeOf), roots = [];
	for (let i = rows.length; i-- > 0;) {
		const node = nodes[i], row = rows[i];
		node.own = Math.max(row[metric], 0);
		node.count = row.count;
		node.value += node.own;
		node.children.reverse();
		if (row.above >= 0) {
			nodes[row.above].value += node.value;
			nodes[row.above].children.push(node);
		} else
			roots.unshift(node);
	}
	return roots;
}

function bottomUp(rows, metric) {
	const top = new Map();
	for (const row of rows) {
		const own = Math.max(row[metric], 0);
		let level = top;
		for (let above = row; own > 0 && above.above >= 0; above = rows[above.above]) {
			if (!level.has(above.name))
				level.set(above.name, { ...nodeOf(above), below: new Map() });
			const node = level.get(above.name);
			node.value += own;
			node.own = above === row ? node.value : 0;
			node.count += above === row ? row.count : 0;
			level = node.below;
		}
	}
	const list = level => [...level.values()].sort((a, b) => b.value - a.value).map(node => ({ ...node, children: list(node.below) }));
	return list(top);
}

function lines(d, total) {
	const { row, own, count, value } = d.data;
	if (!row)
		return [d.data.name, time(value)];
	return [row.name, ...row.file ? [row.file + ':' + row.line] : [], time(value) + ' with all below: ' + percent(value / total, 1),
		...own > 0 ? [time(own) + ' itself'] : [], ...count > 0 ? [count + ' times'] : []];
}

export default {
	id: 'flame', title: 'Who created what',
	draw(element, data, view) {
		const spawn = readSpawn();
		if (spawn === null || !spawn.rows.some(row => row.own_ns > 0))
			return false;
		const choice = (id, label, options) => make('label', {}, [document.createTextNode(label + ' '), make('select', { id },
			Object.entries(options).map(([value, text]) => make('option', { value, text })))]);
		const direction = choice('flame-direction', 'Show', { down: 'total time: created from above', up: 'own time: created by what is below' });
		const metric = choice('flame-metric', 'of', spawn.hasPath ? METRICS : { own_ns: METRICS.own_ns });
		const search = make('input', { id: 'flame-search', type: 'search', placeholder: 'find', 'aria-label': 'Find constructs by name' });
		const back = make('button', { id: 'flame-reset', type: 'button', text: 'all' });
		const place = make('div', { id: 'flame-chart' }), details = make('p', { id: 'flame-details', class: 'details', role: 'status' });
		element.append(make('p', { class: 'hint', text: 'Recursion is folded: a construct that creates itself lies there once. Click or Enter zooms; arrows go to neighbours.' }),
			make('p', { class: 'choices' }, [direction, metric, search, back]), place, details);
		if (spawn.n_rows > spawn.rows.length)
			element.append(make('p', { class: 'hint', text: spawn.n_rows - spawn.rows.length + ' smaller paths are in spawn.csv only.' }));
		const chosen = label => label.querySelector('select').value;
		let chart = null, total = 0, drawn = '';

		const fill = d => {
			const isOther = view.construct !== null && d.data.row?.key !== view.construct.key;
			return d.highlight ? color('found') : d.data.row && !isOther ? color('kind-' + kindOf(d.data.name)) : color('kind-none');
		};
		/* What is drawn by the library, for those who use keys or listen. */
		const decorate = () => select(place).selectAll('g.frame').each(function (d) {
			this.setAttribute('tabindex', '0');
			this.setAttribute('role', 'button');
			this.setAttribute('aria-label', lines(d, total).join(', '));
		});
		/* The library brings frames in by and by, as long as the page is seen. */
		const finish = () => select(place).selectAll('g.frame').each(function (d) {
			this.querySelector('rect').setAttribute('width', this.getAttribute('width'));
			this.querySelector('.d3-flame-graph-label').textContent = d.data.name;
		});
		const show = () => {
			const width = Math.max(Math.floor(place.clientWidth), 200), state = [chosen(direction), chosen(metric), width, document.documentElement.dataset.theme].join();
			if (state === drawn) {
				select(place).selectAll('g.frame').select('rect').attr('fill', fill);
				return;
			}
			drawn = state;
			const roots = (chosen(direction) === 'down' ? topDown : bottomUp)(spawn.rows, chosen(metric));
			total = roots.reduce((sum, root) => sum + root.value, 0);
			const isOne = roots.length === 1 && chosen(direction) === 'down';
			const all = { name: isOne ? 'all' : 'all ' + (chosen(direction) === 'down' ? 'processes' : 'constructs'), value: total, children: isOne ? roots[0].children : roots };
			const depthOf = node => 1 + Math.max(0, ...node.children.map(depthOf));
			place.replaceChildren();
			chart = flamegraph().width(width).cellHeight(20).height(20 * depthOf(all) + 2).transitionDuration(matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200).minFrameSize(1)
				.inverted(true).setColorMapper(fill).tooltip(Object.assign(() => {}, { show: (event, d) => showTip(event, lines(d, total)), hide: hideTip }))
				.setSearchMatch((d, term) => term !== '' && d.data.name.toLowerCase().includes(term.toLowerCase()))
				.onClick(d => {
					details.textContent = lines(d, total).join(' · ');
					setTimeout(decorate);
				});
			select(place).datum(all).call(chart);
			select(place).select('svg').attr('role', 'group').attr('aria-label', 'Flame graph: ' + time(total));
			if (search.value !== '')
				chart.search(search.value);
			finish();
			decorate();
		};
		const find = () => {
			chart.search(search.value);
			decorate();
		};
		direction.addEventListener('change', show);
		metric.addEventListener('change', show);
		search.addEventListener('input', find);
		back.addEventListener('click', () => { chart.resetZoom(); details.textContent = ''; });
		place.addEventListener('keydown', event => {
			const frame = event.target.closest('g.frame'), d = frame && select(frame).datum();
			if (!d)
				return;
			const to = { ArrowUp: d.parent, ArrowDown: d.children?.[0], ArrowLeft: d.parent?.children[d.parent.children.indexOf(d) - 1],
				ArrowRight: d.parent?.children[d.parent.children.indexOf(d) + 1] }[event.key];
			if (event.key === 'Enter' || event.key === ' ')
				frame.dispatchEvent(new MouseEvent('click', { bubbles: true }));
			else if (event.key === 'Escape')
				back.click();
			else if (to)
				select(place).selectAll('g.frame').filter(other => other === to).node()?.focus();
			else
				return;
			event.preventDefault();
		});
		place.addEventListener('dblclick', event => {
			const frame = event.target.closest('g.frame'), row = frame && select(frame).datum().data.row, construct = row && constructOf(data, row);
			if (construct)
				view.select(construct);
		});
		redraw(place, view, show);
		return true;
	},
};
