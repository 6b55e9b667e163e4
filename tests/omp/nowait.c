/* SPDX-License-Identifier: BSD-3-Clause */
/* Worksharing without barriers, one behind the other, each with tasks: the one barrier behind them waits for all of these. */
#include "check.h"

#define N 6

static void barrier_of_a_function(void)
{
#pragma omp barrier /* @orphan */
}

int main(void)
{
	int n = 0, m = 0, l = 0;
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp for schedule(static) nowait /* @for */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(n) /* @fortask */
			add(&n, 1);
		}
#pragma omp single nowait /* @single */
		{
#pragma omp task shared(n) /* @singletask */
			{
#pragma omp task shared(n) /* @grandchild */
				add(&n, 10);
	}
}
#pragma omp sections nowait /* @sections */
{
#pragma omp section
	{
#pragma omp task shared(n) /* @sectiontask */
		add(&n, 100);
}
}
#pragma omp masked
{
#pragma omp task shared(n) /* @maskedtask */
	add(&n, 1000);
}
barrier_of_a_function();
CHECK(n == 1116);
#pragma omp for schedule(dynamic) nowait
for (int i = 0; i < N; i++) {
#pragma omp task shared(m) /* @second */
	add(&m, 1);
}
barrier_of_a_function();
CHECK(m == N);
#pragma omp single nowait
{
#pragma omp task shared(l) /* @last */
	add(&l, 1);
}
}
CHECK(l == 1);
return 0;
}
