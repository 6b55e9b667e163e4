/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancellation of a taskgroup inside of another one: the outer one's members run. Cancellation points in tasks that run already. */
#include "check.h"

int main(void)
{
	int outer = 0, inner = 0, cancelled = 0;
	CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @outer */
		{
			for (int i = 0; i < 5; i++)
#pragma omp task shared(outer) /* @member */
				add(&outer, 1);
#pragma omp taskgroup /* @inner */
			{
				for (int i = 0; i < 10; i++)
#pragma omp task shared(inner) /* @point */
				{
#pragma omp cancellation point taskgroup
					add(&inner, 1);
				}
#pragma omp task shared(cancelled) /* @cancel */
				{
					add(&cancelled, 1);
#pragma omp cancel taskgroup
					add(&cancelled, 100);
				}
				for (int i = 0; i < 10; i++)
#pragma omp task shared(inner) /* @late */
				{
#pragma omp task shared(inner) /* @child */
					add(&inner, 0);
					add(&inner, 1);
				}
			}
#pragma omp task shared(outer) /* @after */
			add(&outer, 1);
		}
		CHECK(outer == 6 && inner <= 20 && cancelled == 1);
	}
	return 0;
}
