/* SPDX-License-Identifier: BSD-3-Clause */
/* Deferred tasks and their children; nothing but barriers waits for them. */
#include "check.h"

int main(void)
{
	int n = 0, inner = 0;
#pragma omp parallel /* @region */
	{
#pragma omp single /* @single */
		for (int i = 0; i < 10; i++) {
#pragma omp task shared(n) /* @parent */
			{
				add(&n, 1);
				for (int j = 0; j < 2; j++)
#pragma omp task shared(n) /* @child */
					add(&n, 100);
			}
		}
		CHECK(n == 2010);
#pragma omp masked
#pragma omp task shared(inner) /* @late */
		inner = 1;
	}
	CHECK(inner == 1);
	return 0;
}
