/* SPDX-License-Identifier: BSD-3-Clause */
/* Three levels of regions, two threads each. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) /* @outer */
	{
#pragma omp parallel num_threads(2) /* @middle */
		{
#pragma omp parallel num_threads(2) /* @inner */
			{
				CHECK(omp_get_level() == 3 && omp_get_num_threads() == 2);
				add(&n, 1);
			}
		}
	}
	CHECK(n == 8);
	return 0;
}
