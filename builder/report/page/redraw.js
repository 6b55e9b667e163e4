/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When a drawing is out of date.
 */

/* Draws now, and again when the element is resized, the colours change, or the view does: at most once a frame. */
export function redraw(element, view, draw) {
	let isScheduled = false;
	const schedule = () => {
		if (!isScheduled)
			requestAnimationFrame(() => {
				isScheduled = false;
				draw();
			});
		isScheduled = true;
	};
	new ResizeObserver(schedule).observe(element);
	document.addEventListener('otter-redraw', schedule);
	addEventListener('beforeprint', draw);
	view.listen(schedule);
	draw();
}
