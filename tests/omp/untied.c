/* SPDX-License-Identifier: BSD-3-Clause */
/* Untied tasks with scheduling points inside: their parts may run on different threads. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 20; i++)
#pragma omp task untied shared(n) /* @untied */
		{
#pragma omp task shared(n) /* @child */
			add(&n, 1);
#pragma omp taskyield
			add(&n, 10);
#pragma omp taskwait /* @wait */
			add(&n, 100);
		}
#pragma omp taskyield
	}
	CHECK(n == 2220);
	return 0;
}
