/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskgroup with a barrier, and a loop, after a single: gcc's code reports no end of the single, which is over when the group
 * begins, as neither a barrier nor a loop can be in it. A taskgroup in a single stays in it. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp single nowait
		add(&n, 1);
#pragma omp taskgroup /* @first */
		{
#pragma omp task shared(n) /* @early */
			add(&n, 1);
#pragma omp barrier /* @barrier */
			CHECK(n >= 3);
#pragma omp task shared(n) /* @late */
			add(&n, 1);
		}
#pragma omp single nowait
#pragma omp taskgroup      /* @second */
#pragma omp task shared(n) /* @inside */
		add(&n, 1);
#pragma omp single nowait
		add(&n, 1);
#pragma omp taskgroup /* @third */
		{
#pragma omp for schedule(dynamic) /* @loop */
			for (int i = 0; i < 2; i++) {
#pragma omp task shared(n) /* @iteration */
				add(&n, 1);
			}
		}
	}
	CHECK(n == 9);
	return 0;
}
