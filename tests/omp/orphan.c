/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasking constructs outside of any parallel region: a team of one, the initial task. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp task shared(n) /* @task */
	n += 1;
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @group */
	{
#pragma omp task shared(n) /* @member */
		n += 10;
	}
#pragma omp barrier /* @barrier */
#pragma omp single
	n += 100;
#pragma omp task shared(n) /* @unjoined */
	n += 1000;
	CHECK(n == 1111);
	return 0;
}
