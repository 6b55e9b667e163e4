/* SPDX-License-Identifier: BSD-3-Clause */
/* A region inside of single: one thread of the team has a team of its own. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4) /* @outer */
#pragma omp single                  /* @single */
#pragma omp parallel num_threads(4) /* @inner */
	add(&n, 1);
	CHECK(n == 4);
	return 0;
}
