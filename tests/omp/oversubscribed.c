/* SPDX-License-Identifier: BSD-3-Clause */
/* More threads than processors, then fewer, then more again. */
#include "check.h"

int main(void)
{
	int n = 0, sizes[] = {8, 3, 8};
	for (int k = 0; k < 3; k++) {
#pragma omp parallel num_threads(sizes[k]) /* @region */
		{
#pragma omp single /* @single */
			for (int i = 0; i < 50; i++)
#pragma omp task shared(n) /* @task */
				add(&n, 1);
#pragma omp barrier /* @barrier */
		}
	}
	CHECK(n == 150);
	return 0;
}
