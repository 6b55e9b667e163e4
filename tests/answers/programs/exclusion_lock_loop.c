/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration of a loop holds a lock for nine tenths of its time.
limit: exclusion @lock 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
	omp_lock_t lock[2];
	omp_init_lock(&lock[0]);
	omp_init_lock(&lock[1]);
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
