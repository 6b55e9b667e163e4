/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskloop whose tasks begin a region each, with a task for each of its threads. */
#include "check.h"

static void work(int *n)
{
#pragma omp parallel num_threads(4) /* @inner */
#pragma omp task shared(n)          /* @task */
	add(n, 1);
}

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) /* @outer */
#pragma omp single                  /* @single */
#pragma omp taskloop grainsize(1)   /* @loop */
	for (int i = 0; i < 3; i++)
		work(&n);
	CHECK(n == 12);
	return 0;
}
