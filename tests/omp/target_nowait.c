/* SPDX-License-Identifier: BSD-3-Clause */
/* target nowait on the host: target tasks, with dependences on and from other tasks, in a taskgroup, under a taskwait. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, z = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @before */
		x = 1;
#pragma omp target nowait map(tofrom : x) depend(inout : x) /* @target */
		x += 10;
#pragma omp task shared(x) depend(in : x) /* @after */
		CHECK(x == 11);
#pragma omp taskwait  /* @wait */
#pragma omp taskgroup /* @group */
		{
#pragma omp target nowait map(tofrom : y) /* @member */
			y = 1;
		}
		CHECK(y == 1);
#pragma omp target nowait map(tofrom : z) /* @left */
		z = 1;
	}
	CHECK(x == 11 && z == 1);
	return 0;
}
