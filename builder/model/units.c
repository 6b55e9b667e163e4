/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names for values in the table of Argobots' work units. One thread.
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
	       : unit->state & UNIT_MUTED   ? "unknown"
	       : unit->state & UNIT_STARTED ? "unfinished"
	       : unit->state & UNIT_CREATED ? "never started"
					    : "";
}

bool unit_sync_polls(unsigned sync)
{
	return sync != unit_sync_unknown && sync != unit_sync_user && sync != unit_sync_other;
}

bool unit_sync_joins(unsigned sync)
{
	return sync == unit_sync_unit_join || sync == unit_sync_xstream_join;
}

const char *unit_sync_name(unsigned sync)
{
	const char *name = event_enum_name("unit_sync", sync);
	return name != NULL ? name : "unknown";
}
