/* SPDX-License-Identifier: BSD-3-Clause */
/* taskwait with dependences, and an undeferred task with dependences. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, slow = 0;
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @x */
		x = 1;
#pragma omp task shared(slow) depend(out : y) /* @slow */
		{
			usleep(1000);
			set_flag(&slow);
		}
#pragma omp taskwait depend(in : x) /* @wait */
		CHECK(x == 1);
#pragma omp task shared(x) depend(inout : x) /* @x2 */
		x = 2;
#pragma omp task shared(x) depend(in : x) if (0) /* @undeferred */
		CHECK(x == 2);
#pragma omp task shared(y) /* @after */
		y = 1;
#pragma omp taskwait /* @all */
		CHECK(slow == 1 && y == 1);
	}
	return 0;
}
