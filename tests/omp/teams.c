/* SPDX-License-Identifier: BSD-3-Clause */
/* teams: a league of two with parallel regions inside, and a league of one. */
#include "check.h"

int main(void)
{
	int n = 0, threads = 0, one = 0;
#pragma omp teams num_teams(2) thread_limit(2) /* @league */
	{
		CHECK(omp_get_num_teams() == 2);
#pragma omp parallel num_threads(2) /* @inner */
		{
			add(&n, 1);
			if (omp_get_thread_num() == 0)
				add(&threads, omp_get_num_threads());
#pragma omp single
			{
#pragma omp task shared(n) /* @task */
				add(&n, 10);
			}
		}
	}
	CHECK(n == 20 + threads);
#pragma omp teams num_teams(1) thread_limit(2) /* @single */
#pragma omp parallel num_threads(2)            /* @singleinner */
	add(&one, 1);
	CHECK(one >= 1);
	return 0;
}
