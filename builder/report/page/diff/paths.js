/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation of a construct, as rows that a button shows and hides after the row of the construct.
 */
import { make } from '../dom.js';
import { cell } from '../table.js';
import { plural, some } from '../text.js';
import { cells, MATCHES } from './cells.js';

/* {button, show(isOpen)}. `shown`: as cells() takes it. `open`: the set of constructs whose paths are shown. */
export function pathsButton(row, shown, open) {
	const button = make('button', {
		class: 'paths',
		'aria-expanded': 'false',
		text: plural(row.paths.length + row.paths_left_out, 'path'),
		onclick: () => show(button.getAttribute('aria-expanded') === 'false'),
	});
	const show = isOpen => {
		const own = button.closest('tr');
		button.setAttribute('aria-expanded', String(isOpen));
		open[isOpen ? 'add' : 'delete'](row);
		while (own.nextElementSibling?.classList.contains('of-path')) own.nextElementSibling.remove();
		if (isOpen) own.after(...pathRows(row, shown));
	};
	return { button, show };
}

/* A row for each path: the constructs that created each other, the outermost first. Paths have only times and counts. */
function pathRows({ paths, paths_left_out: left }, shown) {
	if (!(shown.figure in paths[0])) return [note('Of paths there are only time that was executed and counts.')];
	return some(
		paths.map(path => pathRow(path, shown)),
		left > 0 && note(`${plural(left, 'path')} that differ less are left out.`),
	);
}

function pathRow(path, shown) {
	const attributes = {
		class: 'of-path',
		'data-match': path.match,
		'data-changed': String(path[shown.figure].changed),
	};
	const creators = (path.b ?? path.a).slice(0, -1).join(' › ');
	return make('tr', attributes, cell(creators), cell(MATCHES[path.match]), cells(path, shown));
}

const note = text => make('tr', { class: 'of-path' }, make('td', { colspan: 6, class: 'note', text }));
