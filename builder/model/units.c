/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names for values in the table of Argobots' work units. Called by outputs; one thread.
 */
#include "builder/model/units.h"
#include "common/event.h"

const char *unit_kind_name(enum unit_kind kind)
{
	static const char *const names[UNIT_KINDS] = {[UNIT_UNKNOWN] = "unknown", [UNIT_ULT] = "ult",
						      [UNIT_TASKLET] = "tasklet", [UNIT_SCHEDULER] = "scheduler",
						      [UNIT_PRIMARY] = "primary", [UNIT_EXTERNAL] = "external",
						      [UNIT_ROOT] = "root"};
	return names[kind];
}

const char *unit_state_name(const struct work_unit *unit)
{
	return unit->state & UNIT_CANCELLED ? "cancelled"
	       : unit->state & UNIT_ENDED   ? "completed"
	       : unit->state & UNIT_STARTED ? "unfinished"
	       : unit->state & UNIT_CREATED ? "never started"
					    : "";
}

const char *unit_sync_name(unsigned sync)
{
	const char *name = event_enum_name("unit_sync", sync);
	return name != NULL ? name : "unknown";
}
