/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Averages of what threads do together, by window: see slices.h. A user of the windows
 * (states/windows.h), whose windows are filled by the threads that sweep them, each window by one.
 */
#include "builder/slices/slices.h"
#include "builder/states/windows.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT "counters"

static void begin(void *self, const struct windows *windows)
{
	struct counters *c = self;
	c->n_windows = windows->n;
	c->bounds = memory_get(windows->n + 1, sizeof *c->bounds, WHAT);
	for (size_t i = 0; i <= windows->n && windows->n > 0; i++)
		c->bounds[i] = windows->bounds[i];
	for (unsigned i = 0; i < COUNTERS; i++)
		c->values[i] = memory_zeroed(windows->n + 1, sizeof *c->values[i], WHAT);
}

static void add_moment(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks)
{
	struct counters *c = self;
	double share = (double)(end_ticks - begin_ticks) / (double)(c->bounds[window + 1] - c->bounds[window]);
	uint32_t n_waiting = 0;
	for (unsigned state = STATE_WAIT_BARRIER; state <= STATE_WAIT_TARGET_UPDATE; state++)
		n_waiting += moment->n_threads[state];
	c->values[COUNTER_RUNNING][window] += share * moment->n_working;
	c->values[COUNTER_READY][window] += share * (moment->n_ready > 0 ? (double)moment->n_ready : 0);
	c->values[COUNTER_WAITING][window] += share * n_waiting;
}

static int close_counters(void *self)
{
	(void)self;
	return 0;
}

int counters_open(struct counters *c, struct sink *sink, const char *dir, size_t n_bins)
{
	const struct window_user user = {.begin = begin, .moment = add_moment, .close = close_counters, .self = c};
	return sink_windows_open(sink, dir, n_bins, &user, 1);
}

void counters_end(struct counters *c)
{
	free(c->bounds);
	for (unsigned i = 0; i < COUNTERS; i++)
		free(c->values[i]);
	*c = (struct counters){.bounds = NULL};
}
