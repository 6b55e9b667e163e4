/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The counters over time (slices/counters.h) as events. Called by perfetto.c on one thread.
 */
#include "builder/perfetto/perfetto.h"

static void put_value(const struct perfetto *p, struct buffer *text, unsigned counter, uint64_t since_ns, double value)
{
	struct buffer event = {NULL, 0, 0};
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	proto_number(&event, EVENT_TYPE, TYPE_COUNTER);
	proto_number(&event, EVENT_TRACK, (uint64_t)(p->trace->process + 1) << 32 | ((UINT64_C(4) << 28) + counter));
	proto_fixed(&event, EVENT_DOUBLE_VALUE, bits);
	perfetto_put_event(text, perfetto_counters_sequence(p), since_ns, &event);
	buffer_free(&event);
}

/* At the end of the last window nothing runs. */
void perfetto_put_counters(const struct perfetto *p, struct buffer *text)
{
	uint64_t last_ns = p->first_ns;
	for (size_t i = 0; i <= p->counters.n_windows && p->counters.n_windows > 0; i++) {
		if (slices_file(&p->slices, p->counters.bounds[i]) != p->file)
			continue;
		uint64_t ns = perfetto_ns(p, p->counters.bounds[i]);
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			put_value(p, text, counter, ns - last_ns, i < p->counters.n_windows ? p->counters.values[counter][i] : 0);
			last_ns = ns;
		}
	}
}
