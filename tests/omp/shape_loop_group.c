/* SPDX-License-Identifier: BSD-3-Clause */
/* In every thread a taskloop without a taskgroup, with taskwait, and a taskgroup around single: in this order, then in the other. */
#include "check.h"

static void loop(int *n)
{
#pragma omp taskloop nogroup grainsize(1)
	for (int k = 0; k < 2; k++)
		add(n, 1);
#pragma omp taskwait /* @wait */
}

static void group(int *n)
{
#pragma omp taskgroup /* @group */
#pragma omp single    /* @single */
#pragma omp task      /* @task */
	add(n, 10);
}

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @first */
	{
		loop(&n);
		group(&n);
	}
#pragma omp parallel num_threads(2) /* @second */
	{
		group(&n);
		loop(&n);
	}
	CHECK(n == 28);
	return 0;
}
