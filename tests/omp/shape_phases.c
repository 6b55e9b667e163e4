/* SPDX-License-Identifier: BSD-3-Clause */
/* Two phases of a time step: taskloops whose tasks leave others of low priority behind, which taskwait does not wait for. */
#include "check.h"

static int n;

static void iteration(int n_small)
{
	for (int j = 0; j < n_small; j++)
#pragma omp task priority(1) /* @small */
	{
		add(&n, 1);
#pragma omp taskyield
	}
}

static void phase(int n_tasks, int n_small)
{
#pragma omp taskloop nogroup grainsize(1) priority(16)
	for (int i = 0; i < n_tasks; i++)
		iteration(n_small);
#pragma omp taskwait /* @wait */
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single /* @single */
	{
		phase(3, 4);
		phase(5, 0);
	}
	CHECK(n == 12);
	return 0;
}
