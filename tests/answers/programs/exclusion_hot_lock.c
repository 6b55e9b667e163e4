/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The threads of a region take numbers of jobs from a counter below a lock, one at a time; or a thousand at a time.
limit: exclusion @lock 3.5 9
mended: *
kept: N=12000
 */
#include "busy.h"

#ifndef N
#define N 300000
#endif

static long next;

int main(void)
{
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel
	for (;;) {
		omp_set_lock(&lock); /* @lock */
		long first = next;
		next += MENDED ? 1000 : 1;
		omp_unset_lock(&lock);
		if (first >= N)
			break;
		turn(MENDED ? 100000 : 100);
	}
	return 0;
}
