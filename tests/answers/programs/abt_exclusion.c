/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: units hold a mutex for most of their time.
limit: exclusion @work 1.4 2
mended: none
 */
#include "argobots.h"

static H mutex;

static void work(void *us) /* @work */
{
	busy(200);
	if (!MENDED)
		ABT_mutex_lock(mutex);
	busy((double)(intptr_t)us);
	if (!MENDED)
		ABT_mutex_unlock(mutex);
}

int main(void)
{
	H units[60];
	begin_streams(NULL);
	ABT_mutex_create(&mutex);
	for (int i = 0; i < 60; i++)
		units[i] = run_unit(shared, work, 1000);
	join_all(units, 60);
	ABT_mutex_free(&mutex);
	end_streams();
	return 0;
}
