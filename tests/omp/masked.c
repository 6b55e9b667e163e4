/* SPDX-License-Identifier: BSD-3-Clause */
/* masked, with and without a filter, and master. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3)
	{
#pragma omp masked
		{
			CHECK(omp_get_thread_num() == 0);
			add(&n, 1);
		}
#pragma omp masked filter(2)
		{
			CHECK(omp_get_thread_num() == 2);
			add(&n, 10);
		}
#pragma omp masked filter(omp_get_thread_num() % 2 == 0 ? omp_get_thread_num() : -1)
		add(&n, 100);
#pragma omp master
		add(&n, 1000);
	}
	CHECK(n == 1211);
	return 0;
}
