/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks down to the leaves; or only near the root.
limit: grain @task 1.5 20
mended: *
kept: N=21
 */
#include "busy.h"

#ifndef N
#define N 26
#endif

static int count(int cutoff, int n)
{
	int a, b;
	if (n < 2)
		return n;
	if (cutoff <= 0) {
		turn(10);
		return count(0, n - 1) + count(0, n - 2);
	}
#pragma omp task shared(a) /* @task */
	a = count(cutoff - 1, n - 1);
	turn(10);
	b = count(cutoff - 1, n - 2);
#pragma omp taskwait
	return a + b;
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		(void)count(MENDED ? 6 : N, N);
	}
	return 0;
}
