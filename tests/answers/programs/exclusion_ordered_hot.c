/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations of some ns wait for their turn.
limit: exclusion @ordered 2.3 6
mended: *
kept: N=6000
 */
#include "busy.h"

#ifndef N
#define N 200000
#endif

int main(void)
{
	long sum = 0;
#if MENDED
#pragma omp parallel for schedule(static, 1000) reduction(+ : sum)
#else
#pragma omp parallel for schedule(static, 1) ordered
#endif
	for (int i = 0; i < N; i++) {
		turn(200);
#if !MENDED
#pragma omp ordered /* @ordered */
#endif
		sum += i;
	}
	return sum < 0;
}
