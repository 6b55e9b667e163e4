/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Enters and leaves regions for tasks: makes the task current, then writes Enter or Leave. Called by all files that
 * write events of tasks. On one thread at a time for each location.
 */
#include "builder/otf2/current.h"
#include "builder/otf2/enter.h"
#include "builder/otf2/location.h"

int location_leave_kind(struct archive *a, struct location *l, uint64_t time, enum region_kind kind, uint32_t task)
{
	uint32_t i = l->n_open;
	while (i > 0 && l->open[i - 1].task == task && l->open[i - 1].type == OPEN_SCOPE && l->open[i - 1].kind != kind)
		i--;
	if (i == 0 || l->open[i - 1].task != task || l->open[i - 1].type != OPEN_SCOPE)
		return 0; /* it is not open here: it was closed when its task was suspended for good */
	int rc = 0;
	while (rc == 0 && l->n_open >= i)
		rc = location_leave(a, l, time);
	return rc;
}

int location_pass(struct archive *a, struct location *l, uint64_t time, uint32_t region, uint32_t task)
{
	if (current_require(a, l, time, task) != 0)
		return -1;
	int rc = archive_check(a, WRITE_EVENT(l, Enter, NULL, time, region), "writing Enter");
	return rc != 0 ? rc : archive_check(a, WRITE_EVENT(l, Leave, NULL, time, region), "writing Leave");
}
