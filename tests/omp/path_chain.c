/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain of tasks that each keep a thread busy, beside tasks that do nothing, in whatever order they run: the critical path goes along the chain.
 * The argument says for how many ms.
 */
#include "check.h"

#define N 8

int main(int argc, char **argv)
{
	double s = (argc > 1 ? atoi(argv[1]) : 1) * 1e-3;
	int x = 0, n = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single
	{
		for (int i = 0; i < N; i++) {
#pragma omp task shared(x) depend(inout : x) /* @chain */
			{
				x++;
				keep_busy(s);
			}
#pragma omp task shared(n) /* @beside */
			add(&n, 1);
		}
#pragma omp taskwait       /* @wait */
#pragma omp task shared(n) /* @behind */
		{
			add(&n, 1);
			keep_busy(s);
		}
	}
	CHECK(x == N && n == N + 1);
	return 0;
}
