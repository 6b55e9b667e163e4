/* SPDX-License-Identifier: BSD-3-Clause */
/* One task with 1000 predecessors, and one with a dependence list longer than a segment of the dump. */
#include "check.h"

#define N    1000
#define LONG 40000

static char v[LONG];

int main(void)
{
	int n = 0;
#pragma omp parallel
#pragma omp single nowait
	{
		for (int i = 0; i < N; i++)
#pragma omp task shared(v, n) depend(out : v[i]) /* @one */
			add(&n, 1);
#pragma omp task shared(v, n) depend(iterator(i = 0 : N), in : v[i]) /* @many */
		CHECK(n == N);
#pragma omp task shared(v, n) depend(iterator(i = 0 : LONG), inout : v[i]) /* @long */
		n = 0;
	}
	CHECK(n == 0);
	return 0;
}
