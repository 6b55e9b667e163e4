/* SPDX-License-Identifier: BSD-3-Clause */
/* Many tasks from one thread: by a taskloop that nobody waits for but the region's end, and by a taskloop inside of a task. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
#pragma omp taskloop nogroup grainsize(1)
	for (int i = 0; i < 6; i++)
		add(&n, 1);
	CHECK(n == 6);
#pragma omp parallel num_threads(2) /* @parallel */
	{
#pragma omp single nowait
#pragma omp task shared(n)        /* @outer */
#pragma omp taskloop grainsize(1) /* @loop */
		for (int i = 0; i < 5; i++) {
			add(&n, 1);
#pragma omp taskyield
		}
#pragma omp taskwait /* @all */
	}
	CHECK(n == 11);
	return 0;
}
