/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_pause_resource and omp_pause_resource_all, soft: the runtime gives up what it likes, and goes on with the next region. */
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
	CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
	tasks(7);
	CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
	tasks(9);
	return 0;
}
