/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks add each of many results to a sum in a critical section; or one sum each.
limit: exclusion @critical 3.5 10
mended: *
kept: N=800
 */
#include "busy.h"

#ifndef N
#define N 8000
#endif

int main(void)
{
	long sum = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++) {
#pragma omp task shared(sum)
		{
			long own = 0;
			for (int j = 0; j < N; j++) {
				turn(100);
				if (MENDED)
					own += j;
				else {
#pragma omp critical /* @critical */
					sum += j;
				}
			}
#pragma omp atomic
			sum += own;
		}
	}
	return sum < 0;
}
