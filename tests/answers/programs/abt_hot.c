/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: units set a mutex for each of many small results; or one for all.
limit: exclusion @work 3 8
mended: *
kept: N=1800
 */
#include "argobots.h"

#ifndef N
#define N 8000
#endif

static H mutex;
static long sum;

static void work(void *n) /* @work */
{
	long own = 0;
	for (intptr_t i = 0; i < (intptr_t)n; i++) {
		turn(100);
		if (MENDED)
			own += i;
		else {
			ABT_mutex_lock(mutex);
			sum += i;
			ABT_mutex_unlock(mutex);
		}
	}
	ABT_mutex_lock(mutex);
	sum += own;
	ABT_mutex_unlock(mutex);
}

int main(void)
{
	H units[40];
	begin_streams(NULL);
	ABT_mutex_create(&mutex);
	for (int i = 0; i < 40; i++)
		units[i] = run_unit(shared, work, N);
	join_all(units, 40);
	ABT_mutex_free(&mutex);
	end_streams();
	return sum < 0;
}
