/* SPDX-License-Identifier: BSD-3-Clause */
/* The number of threads where no clause says it: from the environment, a number a level, and from omp_set_num_threads. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel /* @outer */
	{
		CHECK(omp_get_num_threads() == 3);
#pragma omp task shared(n) /* @outertask */
		add(&n, 1);
#pragma omp parallel /* @inner */
		{
			CHECK(omp_get_num_threads() == 2);
#pragma omp task shared(n) /* @innertask */
			add(&n, 10);
		}
	}
	CHECK(n == 63);
	omp_set_num_threads(4);
#pragma omp parallel /* @set */
	{
		CHECK(omp_get_num_threads() == 4);
#pragma omp task shared(n) /* @settask */
		add(&n, 100);
	}
	CHECK(n == 463);
#pragma omp parallel num_threads(2) /* @empty */
	;
	return 0;
}
