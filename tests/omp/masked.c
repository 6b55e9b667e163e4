/* SPDX-License-Identifier: BSD-3-Clause */
/* masked, with and without a filter, nested in one another's tasks and regions, and master; no barrier of their own. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
	{
#pragma omp masked /* @first */
		{
			CHECK(omp_get_thread_num() == 0);
			add(&n, 1);
		}
#pragma omp masked filter(2) /* @filter */
		{
			CHECK(omp_get_thread_num() == 2);
#pragma omp task shared(n) /* @task */
			add(&n, 10);
		}
		int me = omp_get_thread_num();
#pragma omp masked filter(me % 2 == 0 ? me : -1) /* @evens */
		{
#pragma omp task shared(n) /* @even */
			add(&n, 100);
		}
#pragma omp barrier /* @barrier */
		CHECK(n == 211);
#pragma omp barrier /* @again */
#pragma omp master
		{
			add(&n, 1000);
#pragma omp parallel num_threads(2) /* @nested */
			{
#pragma omp masked filter(1)
				{
#pragma omp task shared(n) /* @inner */
					add(&n, 10000);
				}
			}
		}
	}
	CHECK(n == 11211);
	return 0;
}
