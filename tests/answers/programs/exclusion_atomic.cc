/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * g++: an atomic update of a type for which the processor has no instruction takes a lock of the runtime.
limit: exclusion @atomic,@update 2.5 8
mended: *
compiler: gcc
kept: N=20000
 */
#include "busy.h"

#ifndef N
#define N 300000
#endif

int main(void)
{
	long double sum = 0;
#pragma omp parallel
	{
		long double own = 0;
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++) {
			turn(100);
			if (MENDED)
				own += i;
			else {
#pragma omp atomic /* @atomic */
				sum += i; /* @update: gcc notes this line or the one before */
			}
		}
#pragma omp atomic
		sum += own;
	}
	return sum < 0;
}
