/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The task that creates an undeferred task is suspended until that one ends: what it does next comes after it, whatever that is, but not what the undeferred task
 * has created itself and not waited for.
 */
#include "check.h"

static void chain(int *n, int depth)
{
#pragma omp task if (0) firstprivate(n, depth) /* @link */
	{
		*n += 1;
		if (depth > 0)
			chain(n, depth - 1);
	}
}

int main(void)
{
	int n = 0, late = 0, x = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp single nowait
		{
#pragma omp task shared(late) /* @before */
			add(&late, 1);
#pragma omp task if (0) shared(n, late) /* @first */
			{
				n = 1;
#pragma omp task shared(late) /* @child */
				add(&late, 1);
			}
			CHECK(n == 1);
#pragma omp task shared(n) /* @after1 */
			CHECK(n >= 1);
#pragma omp task shared(n) /* @after2 */
			CHECK(n >= 1);
#pragma omp task if (0) shared(n) /* @second */
			add(&n, 1);
#pragma omp task shared(n) /* @after3 */
			CHECK(n >= 2);
#pragma omp taskwait depend(in : x) /* @wait */
#pragma omp task shared(n)          /* @after4 */
			CHECK(n >= 2);
			chain(&n, 3);
			CHECK(n == 6);
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(late) /* @member */
				add(&late, 1);
#pragma omp task if (0) shared(n) /* @third */
				n++;
#pragma omp task shared(n) /* @member2 */
				CHECK(n >= 7);
			}
		}
#pragma omp barrier /* @barrier */
#pragma omp single nowait
		{
#pragma omp task shared(n) /* @outer */
			{
#pragma omp task if (0) shared(n) /* @last */
				n++;
			}
#pragma omp taskwait /* @join */
			CHECK(n == 8);
#pragma omp task shared(n) /* @final */
			n++;
		}
	}
	CHECK(n == 9 && late == 3 && x == 0);
	return 0;
}
