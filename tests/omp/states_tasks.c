/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that run while their creator waits: in a taskwait, in one with dependences, at the end of a taskgroup, in a barrier. The other thread
 * waits for them meanwhile, so that the creator has to run them all.
 */
#include "check.h"

int main(void)
{
	int n = 0, x = 0;
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
#pragma omp task shared(n)
			add(&n, 1);
#pragma omp taskwait
#pragma omp taskwait
#pragma omp taskgroup
			{
#pragma omp task shared(n)
				{
#pragma omp task shared(n)
					add(&n, 1);
#pragma omp taskwait
				}
			}
#pragma omp task shared(n) depend(out : x)
			add(&n, 1);
#pragma omp taskwait depend(in : x)
#pragma omp task shared(n)
			add(&n, 1);
#pragma omp task shared(n)
			add(&n, 1);
		} else
			wait_for_count(&n, 5);
#pragma omp barrier
	}
#pragma omp task shared(n)
	n++;
#pragma omp taskwait
	CHECK(n == 6);
	return 0;
}
