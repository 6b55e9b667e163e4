/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers in a region that may be cancelled, and is not: explicit ones and those of worksharing, with tasks of every phase. */
#include "check.h"

#define N 8

int main(void)
{
	int one = 0, two = 0, three = 0, four = 0, never = omp_get_num_procs() < 0;
	CHECK(omp_get_cancellation() == 1);
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp task shared(one) /* @one */
		{
#pragma omp task shared(one) /* @onechild */
			add(&one, 1);
		}
#pragma omp barrier /* @barrier */
		CHECK(one == 3);
#pragma omp for schedule(dynamic, 1) /* @loop */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(two) /* @two */
			add(&two, 1);
		}
		CHECK(two == N);
#pragma omp sections /* @sections */
		{
#pragma omp section
			{
#pragma omp task shared(three) /* @three */
				add(&three, 1);
				add(&three, 10); /* so that no compiler makes one call of both sections' tasks */
			}
#pragma omp section
			{
#pragma omp task shared(three) /* @threemore */
				add(&three, 100);
			}
		}
		CHECK(three == 111);
#pragma omp cancel parallel if (never)
#pragma omp task shared(four) /* @four */
		add(&four, 1);
#pragma omp barrier /* @last */
		CHECK(four == 3);
	}
	return 0;
}
