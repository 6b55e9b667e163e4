/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier inside of a taskgroup waits for all tasks of the team so far, and so for the descendants of those that the group has
 * created; what is created between the barrier and the group's end is left to the group. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp taskgroup /* @group */
		{
#pragma omp task shared(n) /* @outer */
			{
#pragma omp task shared(n) /* @inner */
				add(&n, 1);
				add(&n, 1);
			}
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @nested */
			{
#pragma omp task shared(n) /* @parent */
				{
#pragma omp task shared(n) /* @child */
					add(&n, 1);
					add(&n, 1);
				}
#pragma omp barrier /* @barrier */
				CHECK(n == 8);
#pragma omp barrier        /* @second */
#pragma omp task shared(n) /* @later */
				{
#pragma omp task shared(n) /* @last */
					add(&n, 1);
					add(&n, 1);
				}
			}
		}
#pragma omp task shared(n) /* @after */
		add(&n, 1);
	}
	CHECK(n == 14);
	return 0;
}
