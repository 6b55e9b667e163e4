/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_pause_resource, hard: the runtime gives up everything, and begins anew with the next region. */
#include "check.h"

static void tasks(int count)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp single /* @single */
		for (int i = 0; i < count; i++)
#pragma omp task shared(n) /* @task */
			add(&n, 1);
		CHECK(n == count);
	}
}

int main(void)
{
	tasks(5);
	CHECK(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0);
	tasks(7);
	return 0;
}
