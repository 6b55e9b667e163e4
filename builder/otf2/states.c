/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states as a metric of each location: a value holds until the next one. OTF2 has no names for values, so the
 * metric's description lists them. Called for each change of a state (events.c), where measurement is turned on
 * (location.c), and by defs.c. On one thread at a time for each location.
 */
#include "builder/otf2/intern.h"
#include "builder/otf2/states.h"
#include "builder/model/state.h"

#include <stdio.h>

int state_metric_write(struct archive *a, struct location *l, uint64_t time)
{
	if (l->state == l->state_written || l->is_muted)
		return 0;
	l->state_written = l->state;
	l->has_states = true;
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = {.unsigned_int = l->state};
	return archive_check(a, WRITE_EVENT(l, Metric, NULL, time, METRIC_STATE, 1, &type, &value), "writing a thread state");
}

uint32_t state_metric_names(struct archive *a)
{
	char text[1024] = "";
	for (unsigned i = 0, n = 0; i < STATES && n < sizeof text; i++)
		n += (unsigned)snprintf(text + n, sizeof text - n, "%s%u=%s", i > 0 ? " " : "", state_number(i), state_name(i));
	return intern_string(&a->interned, text);
}
