/* SPDX-License-Identifier: BSD-3-Clause */
/* The size of a league where no clause says it: from the environment, and from omp_set_num_teams. */
#include "check.h"

int main(void)
{
	int n = 0;
	CHECK(omp_get_max_teams() == 2);
#pragma omp teams thread_limit(1) /* @environment */
	add(&n, 1);
	CHECK(n == 2);
	omp_set_num_teams(3);
#pragma omp teams thread_limit(1) /* @set */
	add(&n, 10);
	CHECK(n == 32);
	return 0;
}
