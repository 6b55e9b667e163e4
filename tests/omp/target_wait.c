/* SPDX-License-Identifier: BSD-3-Clause */
/* target without nowait on the host: the encountering task waits for predecessors and for the region. In it a region with tasks. */
#include "check.h"

int main(void)
{
	int x = 0, n = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @before */
		x = 1;
#pragma omp target map(tofrom : x) depend(inout : x) /* @target */
		x += 10;
		CHECK(x == 11);
#pragma omp task shared(x) depend(in : x) /* @after */
		CHECK(x == 11);
#pragma omp target map(tofrom : n) /* @plain */
		{
#pragma omp task shared(n) /* @within */
			add(&n, 1);
#pragma omp taskwait /* @wait */
		}
	}
	CHECK(n == 1);
	return 0;
}
