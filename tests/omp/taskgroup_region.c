/* SPDX-License-Identifier: BSD-3-Clause */
/* A parallel region inside of a taskgroup: its tasks are its own team's. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* @outer */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @group */
		{
#pragma omp task shared(n) /* @member */
			add(&n, 1);
#pragma omp parallel num_threads(2) /* @inner */
			{
#pragma omp task shared(n) /* @within */
				add(&n, 10);
#pragma omp barrier        /* @barrier */
#pragma omp task shared(n) /* @late */
				add(&n, 100);
			}
#pragma omp task shared(n) /* @after */
			add(&n, 1000);
		}
		CHECK(n == 1221);
	}
	return 0;
}
