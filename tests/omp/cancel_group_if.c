/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cancel taskgroup: if(0) cancels nothing; the encountering task of the taskgroup cancels it; a taskloop and depending tasks
 * are cancelled.
 */
#include "check.h"

int main(void)
{
	int n = 0, m = 0, x = 0;
	CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @not */
		{
			for (int i = 0; i < 5; i++)
#pragma omp task shared(n) /* @all */
			{
#pragma omp cancel taskgroup if (0)
				add(&n, 1);
			}
		}
		CHECK(n == 5);
#pragma omp taskgroup /* @chain */
		{
#pragma omp task shared(x) depend(inout : x) /* @first */
			{
				x = 1;
#pragma omp cancel taskgroup
				x = 2;
			}
#pragma omp task shared(x) depend(inout : x) /* @second */
			x += 10;
#pragma omp task shared(x) depend(inout : x) /* @third */
			x += 100;
		}
		CHECK(x == 1);
#pragma omp taskloop num_tasks(10) shared(m) /* @loop */
		for (int i = 0; i < 10; i++) {
			add(&m, 1);
#pragma omp cancel taskgroup
			add(&m, 100);
		}
		CHECK(m >= 1 && m <= 10);
	}
	return 0;
}
