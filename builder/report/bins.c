/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How many threads were in which state over time, and how many tasks were ready, for the page's chart: see parts.h. The
 * same sums as in parallelism.csv, in stretches of time as many as the page can show.
 */
#include "builder/report/parts.h"
#include "builder/support/memory.h"

#include <stdlib.h>

void bins_begin(struct bins *bins, const struct windows *windows)
{
	bins->windows = windows;
	bins->rows = memory_zeroed(windows->n + 1, sizeof *bins->rows, "report.html");
}

void bins_add_interval(struct bins *bins, size_t window, enum state state, uint64_t ticks)
{
	if (state != STATE_NONE)
		bins->rows[window].state_ticks[state] += (double)ticks;
}

void bins_add_moment(struct bins *bins, size_t window, const struct moment *moment, uint64_t ticks)
{
	bins->rows[window].ready_ticks += moment->n_ready > 0 ? (double)moment->n_ready * (double)ticks : 0;
}

/* A mean with three digits after the point, which keeps pages small. */
static json_t *mean(double ticks, uint64_t length)
{
	return json_real(length == 0 ? 0 : (double)(uint64_t)(ticks / (double)length * 1000 + 0.5) / 1000);
}

void bins_end(struct bins *bins, size_t n_processes, json_t *process)
{
	const struct windows *windows = bins->windows;
	const struct dump *dump = &windows->trace->dump;
	size_t most = BINS_MAX / n_processes > 64 ? BINS_MAX / n_processes : 64;
	size_t n = windows->n < most ? windows->n : most;
	json_t *times = json_array(), *ready = json_array(), *states = json_object();
	json_t *arrays[STATES] = {NULL};
	for (unsigned k = 0; k < STATES; k++) {
		double total = 0;
		for (size_t i = 0; i < windows->n; i++)
			total += bins->rows[i].state_ticks[k];
		if (total <= 0)
			continue;
		arrays[k] = json_array();
		json_object_set_new(states, state_name((enum state)k), arrays[k]);
	}
	for (size_t i = 0; i < n; i++) {
		size_t first = windows->n * i / n, end = windows->n * (i + 1) / n;
		uint64_t length = windows->bounds[end] - windows->bounds[first];
		double sums[STATES] = {0}, ready_ticks = 0;
		for (size_t j = first; j < end; j++) {
			ready_ticks += bins->rows[j].ready_ticks;
			for (unsigned k = 0; k < STATES; k++)
				sums[k] += bins->rows[j].state_ticks[k];
		}
		json_array_append_new(times, json_integer((json_int_t)dump_ns(dump, windows->bounds[first])));
		json_array_append_new(ready, mean(ready_ticks, length));
		for (unsigned k = 0; k < STATES; k++)
			if (arrays[k] != NULL)
				json_array_append_new(arrays[k], mean(sums[k], length));
	}
	if (n > 0)
		json_array_append_new(times, json_integer((json_int_t)dump_ns(dump, windows->bounds[windows->n])));
	json_object_set_new(process, "bins", json_pack("{s:o, s:o, s:o}", "times_ns", times, "ready", ready, "threads", states));
	free(bins->rows);
	bins->rows = NULL;
}
