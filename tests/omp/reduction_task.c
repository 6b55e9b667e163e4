/* SPDX-License-Identifier: BSD-3-Clause */
/* reduction with the task modifier: on a region, on a worksharing loop, on sections. */
#include "check.h"

int main(void)
{
	int a = 0, b = 0, c = 0, threads = 0;
#pragma omp parallel num_threads(3) reduction(task, + : a) /* @region */
	{
		a += 1;
#pragma omp task in_reduction(+ : a) /* @inregion */
		a += 10;
#pragma omp single nowait
		threads = omp_get_num_threads();
	}
	CHECK(threads == 3 && a == 33);
#pragma omp parallel num_threads(3) /* @second */
	{
#pragma omp for reduction(task, + : b) schedule(static) /* @loop */
		for (int i = 0; i < 6; i++) {
#pragma omp task in_reduction(+ : b) /* @inloop */
			b += 1;
		}
#pragma omp sections reduction(task, + : c) /* @sections */
		{
#pragma omp section
			{
#pragma omp task in_reduction(+ : c) /* @insection */
				c += 1;
			}
#pragma omp section
			c += 10;
		}
	}
	CHECK(b == 6 && c == 11);
	return 0;
}
