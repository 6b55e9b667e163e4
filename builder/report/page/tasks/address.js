/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A single task in the page's address: report.html#task=40 opens it there.
 */

/* The end of the address for the task with this number, in nodes.csv. */
export const taskAddress = number => `#task=${number}`;

/* The number of the task that the page's address has at its end, or null. */
export function taskOfAddress() {
	const found = /^#task=(\d+)$/.exec(location.hash);
	return found && Number(found[1]);
}
