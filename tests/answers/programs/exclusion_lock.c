/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two locks of which one is held for long.
limit: exclusion @lock 1.4 1.9
mended: none
 */
#include "busy.h"

#define MOST 64 /* threads */

int main(void)
{
	omp_lock_t brief, lock[MOST];
	omp_init_lock(&brief);
	for (int i = 0; i < MOST; i++)
		omp_init_lock(&lock[i]);
#pragma omp parallel
	for (int i = 0; i < 50; i++) {
		omp_set_lock(&brief);
		turn(10);
		omp_unset_lock(&brief);
		omp_lock_t *own = &lock[MENDED * omp_get_thread_num()];
		omp_set_lock(own); /* @lock */
		busy(600);
		omp_unset_lock(own);
		busy(100);
	}
	return 0;
}
