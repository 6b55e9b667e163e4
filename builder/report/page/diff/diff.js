/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of diff.html: what differs between two runs, or sets of runs, and how work grows with the number of threads. Its
 * data are those of diff.json (docs/analyses.md): which changes count, the builder has decided.
 */
import { readScript } from '../dom.js';
import constructs from './constructs.js';
import scaling from './scaling.js';
import sides from './sides.js';

export const DIFF_SECTIONS = [sides, constructs, scaling];

/* Null: the page is of a run. */
export const readDiff = () => readScript('otter-diff');

export function diffTitle(diff) {
	const names = diff.sides.map(side => side.name.split('/').filter(Boolean).pop() ?? '');
	return `${names.join(' and ')} — Otter comparison`;
}
