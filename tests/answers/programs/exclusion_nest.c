/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock that its owner may set again is held for most of the time, by functions that call each other.
limit: exclusion @lock 1.4 1.9
mended: none
 */
#include "busy.h"

#define MOST 64 /* threads */

static omp_nest_lock_t lock[MOST];

static void change(int depth)
{
	omp_nest_lock_t *own = &lock[MENDED * omp_get_thread_num()];
	omp_set_nest_lock(own); /* @lock */
	busy(200);
	if (depth > 0)
		change(depth - 1);
	omp_unset_nest_lock(own);
}

int main(void)
{
	for (int i = 0; i < MOST; i++)
		omp_init_nest_lock(&lock[i]);
#pragma omp parallel
	for (int i = 0; i < 40; i++) {
		change(2);
		busy(150);
	}
	return 0;
}
