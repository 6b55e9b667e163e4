/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel regions one after the other: with nothing in them, with tasks, and fifty in a loop. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) /* @first */
	add(&n, 1);
#pragma omp parallel num_threads(2) /* @second */
	{
#pragma omp task shared(n) /* @task */
		add(&n, 10);
	}
	CHECK(n == 23);
	for (int i = 1; i <= 50; i++) {
#pragma omp parallel num_threads(2) /* @loop */
		{
#pragma omp task shared(n) /* @each */
			add(&n, 100);
		}
		CHECK(n == 23 + 200 * i);
	}
#pragma omp parallel num_threads(3) /* @last */
	add(&n, 1);
	CHECK(n == 10026);
	return 0;
}
