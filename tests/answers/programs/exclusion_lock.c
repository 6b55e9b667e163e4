/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two locks of which one is held for long.
limit: exclusion @lock 1.4 1.9
mended: none
 */
#include "busy.h"

int main(void)
{
	omp_lock_t brief, lock[2];
	omp_init_lock(&brief);
	omp_init_lock(&lock[0]);
	omp_init_lock(&lock[1]);
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
