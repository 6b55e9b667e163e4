/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums of times in states. No state is kept; any thread.
 */
#include "builder/states/states.h"

uint64_t state_times_total(const struct state_times *times)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < STATES; i++)
		total += times->ticks[i];
	return total;
}

void state_times_ns(const struct dump *dump, const struct state_times *times, uint64_t ns[STATES])
{
	uint64_t ticks = 0, so_far_ns = 0;
	for (unsigned i = 0; i < STATES; i++) {
		ticks += times->ticks[i];
		uint64_t until_ns = dump_duration_ns(dump, ticks);
		ns[i] = until_ns - so_far_ns;
		so_far_ns = until_ns;
	}
}
