/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: all units are in the pool of the first stream, and the second one finds none in its own.
limit: runtime/scheduling @work 1.6 2
mended: none
 */
#include "argobots.h"

static void work(void *us) /* @work */
{
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[60], pool = NULL;
	if (!MENDED)
		ABT_pool_create_basic(0, 3, 1, &pool); /* ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC */
	begin_streams(pool);
	for (int i = 0; i < 60; i++)
		units[i] = run_unit(shared, work, 1000);
	join_all(units, 60);
	end_streams();
	return 0;
}
