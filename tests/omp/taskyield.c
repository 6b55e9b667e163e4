/* SPDX-License-Identifier: BSD-3-Clause */
/* taskyield: of implicit, tied, untied and undeferred tasks, with and without something to run. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp taskyield
#pragma omp parallel /* @region */
	{
#pragma omp taskyield
#pragma omp single
		{
			for (int i = 0; i < 5; i++)
#pragma omp task shared(n) /* @tied */
			{
#pragma omp task shared(n) /* @child */
				add(&n, 1);
#pragma omp taskyield
				add(&n, 10);
			}
#pragma omp taskyield
#pragma omp task if (0) shared(n) /* @now */
			{
#pragma omp taskyield
				add(&n, 100);
			}
#pragma omp taskwait /* @wait */
		}
	}
	CHECK(n == 155);
	return 0;
}
