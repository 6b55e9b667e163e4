/* SPDX-License-Identifier: BSD-3-Clause */
/* Three levels of regions, the innermost two in a row. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) /* @outer */
#pragma omp parallel num_threads(3) /* @middle */
	{
#pragma omp parallel num_threads(2) /* @first */
		add(&n, 1);
#pragma omp parallel num_threads(2) /* @second */
		add(&n, 10);
	}
	CHECK(n == 132);
	return 0;
}
