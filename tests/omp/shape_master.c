/* SPDX-License-Identifier: BSD-3-Clause */
/* The primary thread makes tasks twice, a barrier between. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) /* @parallel */
	{
#pragma omp master /* @master */
#pragma omp taskloop nogroup grainsize(1)
		for (int j = 0; j < 3; j++)
			add(&n, 1);
#pragma omp barrier /* @barrier */
		CHECK(n >= 3);
#pragma omp masked /* @masked */
#pragma omp taskloop nogroup grainsize(1)
		for (int j = 0; j < 3; j++)
			add(&n, 1);
	}
	CHECK(n == 6);
	return 0;
}
