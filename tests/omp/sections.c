/* SPDX-License-Identifier: BSD-3-Clause */
/* sections, with the barrier and without. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp sections /* @barrier */
		{
#pragma omp section
			add(&n, 1);
#pragma omp section
			add(&n, 10);
#pragma omp section
			add(&n, 100);
		}
#pragma omp sections nowait /* @nowait */
		{
#pragma omp section
			add(&n, 1000);
		}
	}
	CHECK(n == 1111);
	return 0;
}
