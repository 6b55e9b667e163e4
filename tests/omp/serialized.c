/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that one thread executes: if(0), num_threads(1), and nested ones beyond max-active-levels; every wait inside of them. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(1);
#pragma omp parallel if (0) num_threads(4) /* @if0 */
	{
		CHECK(omp_get_num_threads() == 1);
#pragma omp task shared(n) /* @task */
		add(&n, 1);
	}
#pragma omp parallel num_threads(1) /* @one */
	{
#pragma omp task shared(n) /* @first */
		add(&n, 10);
#pragma omp barrier        /* @barrier */
#pragma omp task shared(n) /* @second */
		{
#pragma omp task shared(n) /* @child */
			add(&n, 10);
		}
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @group */
		{
#pragma omp task shared(n) /* @third */
			add(&n, 10);
		}
#pragma omp single /* @single */
		{
#pragma omp task shared(n) /* @fourth */
			add(&n, 10);
		}
	}
#pragma omp parallel num_threads(2) /* @outer */
#pragma omp parallel num_threads(2) /* @inner */
	{
		CHECK(omp_get_num_threads() == 1);
#pragma omp task shared(n) /* @inmost */
		add(&n, 100);
	}
	CHECK(n == 241);
	return 0;
}
