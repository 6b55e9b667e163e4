/* SPDX-License-Identifier: BSD-3-Clause */
/* Untied tasks in a team of one, which the runtime makes undeferred: with children, a taskwait and a taskgroup. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(1) /* @region */
	{
#pragma omp task untied shared(n) /* @plain */
		add(&n, 1);
#pragma omp task untied shared(n) /* @parent */
		{
#pragma omp task shared(n) /* @child */
			add(&n, 1);
#pragma omp taskwait /* @wait */
			CHECK(n == 2);
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(n) /* @member */
				add(&n, 1);
			}
			CHECK(n == 3);
		}
#pragma omp task shared(n) /* @tied */
		{
#pragma omp task untied shared(n) /* @inner */
			{
#pragma omp task untied shared(n) /* @innermost */
				add(&n, 1);
#pragma omp taskwait /* @innerwait */
			}
			add(&n, 1);
		}
#pragma omp task untied shared(n) /* @between */
		add(&n, 1);
#pragma omp taskwait /* @all */
	}
	CHECK(n == 6);
	return 0;
}
