/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds processes that do not come to an end: see verdict.h. A process that was killed, or still runs, is called so where its
 * threads have made no record for most of its time, or where they wait for each other in a circle. A long computation without a
 * record looks the same as an endless loop, so the screen only has the facts: since when, and where each thread is.
 */
#include "builder/answer/verdict.h"
#include "builder/support/memory.h"

#define SHARE_OF_TIME 0.5
#define LEAST_NS      50000000
#define DEADLOCK_NS   20000000 /* a lock that is handed over is taken long before */

/* Is the thread in a circle of threads of which each waits for a mutex that the next one holds? */
static bool is_in_circle(const struct account *account, uint32_t thread)
{
	uint32_t at = thread;
	for (uint32_t n = 0; n <= account->n_threads; n++) {
		at = account_find_thread(account, account->threads[at].holder);
		if (at == UINT32_MAX)
			return false;
		if (at == thread)
			return true;
	}
	return false;
}

void hang_find(struct answer *answer)
{
	const struct model *m = answer->net.graph->model;
	const struct dump *dump = m->dump;
	const struct account *account = &answer->account;
	struct hang *hang = &answer->hang;
	bool may_hang = dump->is_snapshot || dump->meta.process_end == END_KILLED;
	if (!may_hang || dump->end_ticks == 0 || m->window.is_part || dump->meta.stopped_ticks != 0)
		return;
	uint64_t last = m->last_record_ticks;
	uint64_t silent = dump->end_ticks > last ? dump->end_ticks - last : 0, silent_ns = dump_duration_ns(dump, silent);
	bool all_wait = true, is_circle = false;
	for (uint32_t i = 0; i < account->n_threads; i++) {
		all_wait = all_wait && account_waits_last(&account->threads[i]);
		is_circle = is_circle || (silent_ns >= DEADLOCK_NS && is_in_circle(account, i));
	}
	bool is_long = silent_ns >= LEAST_NS && (double)silent >= SHARE_OF_TIME * (double)account->wall_ticks;
	bool is_stuck = all_wait && silent_ns >= LEAST_NS;
	if (!is_circle && !is_long && !is_stuck)
		return;
	*hang = (struct hang){.is_there = true, .is_circle = is_circle, .since_ticks = last};
	/* The construct: of the circle, or of the thread that waits, or works, with the first place that is known. */
	for (uint32_t i = 0; i < account->n_threads && hang->construct == 0; i++)
		if (!is_circle || is_in_circle(account, i))
			hang->construct = account->threads[i].last_construct;
}
