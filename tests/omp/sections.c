/* SPDX-License-Identifier: BSD-3-Clause */
/* sections, with the barrier and without, with tasks in them. */
#include "check.h"

int main(void)
{
	int n = 0, m = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp sections /* @barrier */
		{
#pragma omp section
			{
#pragma omp task shared(n) /* @first */
				add(&n, 1);
			}
#pragma omp section
			add(&n, 10);
#pragma omp section
			{
#pragma omp task shared(n) /* @third */
				add(&n, 100);
				add(&n, 1000); /* so that no compiler makes one call of both sections' tasks */
			}
		}
		CHECK(n == 1111);
#pragma omp sections nowait /* @nowait */
		{
#pragma omp section
			{
#pragma omp task shared(m) /* @left */
				add(&m, 1000);
			}
		}
	}
	CHECK(m == 1000);
	return 0;
}
