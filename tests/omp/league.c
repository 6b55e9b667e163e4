/* SPDX-License-Identifier: BSD-3-Clause */
/* A league of three, each team with an inner region of two that has tasks, a barrier, a taskwait and a taskgroup; then a league of one. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp teams num_teams(3) thread_limit(2) /* @league */
	{
		CHECK(omp_get_num_teams() == 3);
#pragma omp parallel num_threads(2) /* @inner */
		{
			CHECK(omp_get_num_threads() == 2);
#pragma omp task shared(n) /* @task */
			add(&n, 1);
#pragma omp barrier        /* @barrier */
#pragma omp task shared(n) /* @waited */
			{
				add(&n, 10);
#pragma omp task shared(n) /* @grandchild */
				add(&n, 100);
			}
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(n) /* @member */
				{
#pragma omp task shared(n) /* @descendant */
					add(&n, 1000);
				}
			}
#pragma omp task shared(n) /* @last */
			add(&n, 10000);
		}
	}
	CHECK(n == 66666);
#pragma omp teams num_teams(1) thread_limit(2) /* @one */
	{
		CHECK(omp_get_num_teams() == 1);
#pragma omp parallel num_threads(2) /* @oneinner */
		{
#pragma omp task shared(n) /* @onetask */
			add(&n, 1);
#pragma omp barrier        /* @onebarrier */
#pragma omp task shared(n) /* @onelast */
			add(&n, 1);
		}
	}
	CHECK(n == 66670);
	return 0;
}
