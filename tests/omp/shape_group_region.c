/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskgroup around a region whose tasks the region waits for itself. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp taskgroup               /* @group */
#pragma omp parallel num_threads(2) /* @inner */
	{
#pragma omp single /* @single */
#pragma omp taskloop nogroup grainsize(1)
		for (int i = 0; i < 3; i++)
			add(&n, 1);
#pragma omp taskwait /* @wait */
	}
	CHECK(n == 6);
	return 0;
}
