/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration of a loop holds a lock for nine tenths of its time.
limit: exclusion @lock 1.5 2
mended: none
 */
#include "busy.h"

#define MOST 64 /* threads */

int main(void)
{
	omp_lock_t lock[MOST];
	for (int i = 0; i < MOST; i++)
		omp_init_lock(&lock[i]);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 600; i++) {
		omp_lock_t *own = &lock[MENDED * omp_get_thread_num()];
		busy(8);
		omp_set_lock(own); /* @lock */
		busy(72);
		omp_unset_lock(own);
	}
	return 0;
}
