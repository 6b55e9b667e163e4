/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread states as a metric of each location: a value holds until the next one. OTF2 knows no names for values; the metric's description
 * lists them.
 */
#include "builder/otf2/archive.h"

#include <stdio.h>
#include <string.h>

int location_state(struct archive *a, struct location *l, uint64_t time)
{
	if (l->state == l->state_written)
		return 0;
	l->state_written = l->state;
	a->has_states = true;
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = {.unsigned_int = l->state};
	return archive_check(a, OTF2_EvtWriter_Metric(l->writer, NULL, time, METRIC_STATE, 1, &type, &value),
			     "writing a thread state");
}

int event_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks)
{
	struct archive *a = self;
	struct location *l = &a->now.locations[stream];
	(void)from;
	(void)since_ticks;
	if (l->is_finished || location_open(a, stream) != 0)
		return l->is_finished ? 0 : -1;
	l->state = state_number(to);
	/* While measurement is off nothing may be written: switching it on does. */
	return l->is_on ? location_state(a, l, location_stamp(a, l, ticks)) : 0;
}

uint32_t archive_state_names(struct archive *a)
{
	char text[1024] = "";
	for (unsigned i = 0, n = 0; i < STATES && n < sizeof text; i++)
		n += (unsigned)snprintf(text + n, sizeof text - n, "%s%u=%s", i > 0 ? " " : "", state_number(i), state_name(i));
	return archive_string(a, text);
}
