/* SPDX-License-Identifier: BSD-3-Clause */
/* A task of a team of one begins regions of one thread that are nested in each other, and all that a task can do follows
 * the inner one. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(1) /* @outer */
	{
#pragma omp task shared(n) /* @task */
		{
#pragma omp parallel num_threads(1) /* @middle */
			{
#pragma omp parallel num_threads(1) /* @inner */
				{
#pragma omp task shared(n) /* @innertask */
					n += 1;
}
#pragma omp task shared(n) depend(out : n) /* @first */
n += 10;
#pragma omp task shared(n) depend(in : n) /* @second */
n += 100;
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @group */
{
#pragma omp task shared(n) /* @member */
	n += 1000;
}
#pragma omp critical /* @critical */
n += 10000;
#pragma omp single /* @single */
{
#pragma omp task shared(n) /* @last */
	n += 100000;
}
}
#pragma omp task shared(n) /* @child */
n += 1000000;
#pragma omp taskwait /* @outerwait */
}
#pragma omp taskwait /* @all */
}
CHECK(n == 1111111);
return 0;
}
