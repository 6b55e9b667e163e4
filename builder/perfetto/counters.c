/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters over time: how many threads run, how many wait, and how many tasks are ready that no thread has begun; averages of as
 * many windows as parallelism.csv has rows. A user of the windows (states/windows.h), whose windows are filled by the thread that
 * sweeps them; otherwise called by perfetto.c on one thread.
 */
#include "builder/perfetto/perfetto.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "counters"

static void begin(void *self, const struct windows *windows)
{
	struct perfetto *p = self;
	p->n_windows = windows->n;
	p->bounds = memory_get(windows->n + 1, sizeof *p->bounds, WHAT);
	for (size_t i = 0; i <= windows->n && windows->n > 0; i++)
		p->bounds[i] = windows->bounds[i];
	for (unsigned i = 0; i < COUNTERS; i++)
		p->values[i] = memory_zeroed(windows->n + 1, sizeof *p->values[i], WHAT);
}

static void add_moment(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct perfetto *p = self;
	double share = (double)(end_ticks - begin_ticks) / (double)(p->bounds[window + 1] - p->bounds[window]);
	uint32_t n_waiting = 0;
	for (unsigned state = STATE_WAIT_BARRIER; state <= STATE_WAIT_TARGET_UPDATE; state++)
		n_waiting += moment->n_threads[state];
	p->values[COUNTER_RUNNING][window] += share * moment->n_working;
	p->values[COUNTER_READY][window] += share * (moment->n_ready > 0 ? (double)moment->n_ready : 0);
	p->values[COUNTER_WAITING][window] += share * n_waiting;
}

static int close_counters(void *self)
{
	(void)self;
	return 0;
}

int perfetto_counters_open(struct perfetto *p, size_t n_bins)
{
	const struct window_user user = {.begin = begin, .moment = add_moment, .close = close_counters, .self = p};
	return sink_windows_open(&p->slices.beside, p->dir, n_bins, &user, 1);
}

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
	for (size_t i = 0; i <= p->n_windows && p->n_windows > 0; i++) {
		if (slices_file(&p->slices, p->bounds[i]) != p->file)
			continue;
		uint64_t ns = perfetto_ns(p, p->bounds[i]);
		for (unsigned counter = 0; counter < COUNTERS; counter++) {
			put_value(p, text, counter, ns - last_ns, i < p->n_windows ? p->values[counter][i] : 0);
			last_ns = ns;
		}
	}
}
