/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Enters and leaves regions for tasks: makes the task current, then writes Enter or Leave. Called by all files that
 * write events of tasks. On one thread at a time for each location.
 */
#include "builder/otf2/current.h"
#include "builder/otf2/enter.h"
#include "builder/otf2/location.h"

int location_enter_with(struct archive *a, struct location *l, uint64_t time, uint32_t construct, enum region_kind kind,
			uint32_t task, enum open_type type, OTF2_AttributeList *attributes)
{
	if (current_require(a, l, time, task) != 0)
		return -1;
	l->has_holes |= l->running != task;
	return location_push(
		a, l, time,
		(struct open_region){.construct = construct, .kind = kind, .task = task, .owner = l->running, .type = type},
		attributes);
}

int location_leave_with(struct archive *a, struct location *l, uint64_t time, OTF2_AttributeList *attributes)
{
	uint32_t owner = l->open[l->n_open - 1].owner; /* what was entered by task 0, an unknown one, is left by it as well */
	if (owner != 0 ? current_require(a, l, time, owner) != 0 : l->running != 0 && current_any(a, l, time) != 0)
		return -1;
	return location_pop(a, l, time, attributes);
}

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
	int rc = archive_check(a, OTF2_EvtWriter_Enter(l->writer, NULL, time, region), "writing Enter");
	return rc != 0 ? rc : archive_check(a, OTF2_EvtWriter_Leave(l->writer, NULL, time, region), "writing Leave");
}
