/* SPDX-License-Identifier: BSD-3-Clause */
/* Three levels of parallel regions, each level's teams of another size, some of them of one thread; tasks at every level. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) /* @outer */
	{
#pragma omp task shared(n) /* @outertask */
		add(&n, 1);
#pragma omp parallel num_threads(3) /* @middle */
		{
			int middle = omp_get_thread_num();
#pragma omp task shared(n) /* @middletask */
			add(&n, 10);
#pragma omp parallel num_threads(2) if (middle != 1) /* @inner */
			{
				CHECK(omp_get_level() == 3 && omp_get_num_threads() == (middle != 1 ? 2 : 1));
#pragma omp task shared(n) /* @innertask */
				add(&n, 100);
			}
#pragma omp barrier /* @middlebarrier */
		}
#pragma omp barrier /* @outerbarrier */
		CHECK(n == 1062);
	}
	return 0;
}
