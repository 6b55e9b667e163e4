/* SPDX-License-Identifier: BSD-3-Clause */
/* taskwait inside of a taskgroup, and the other way round: a task is waited for by what comes first. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(n) /* @before */
		add(&n, 1);
#pragma omp taskgroup /* @group */
		{
#pragma omp task shared(n) /* @first */
			{
				add(&n, 10);
#pragma omp task shared(n) /* @grandchild */
				add(&n, 100);
			}
#pragma omp taskwait /* @wait */
			CHECK(n == 11 || n == 111);
#pragma omp task shared(n) /* @second */
			add(&n, 1000);
		}
		CHECK(n == 1111);
#pragma omp task shared(n) /* @third */
		add(&n, 10000);
#pragma omp taskwait /* @last */
		CHECK(n == 11111);
	}
	return 0;
}
