/* SPDX-License-Identifier: BSD-3-Clause */
/* While a taskwait with depend waits, its thread runs another task that waits so, too: two such waits on one thread at a time. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, has_begun = 0, may_end = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x, has_begun, may_end) depend(out : x) /* @slow */
		{
			set_flag(&has_begun);
			wait_for(&may_end);
			x = 1;
		}
		wait_for(&has_begun); /* on the other thread */
#pragma omp task shared(y, may_end)   /* @inner */
		{
#pragma omp task shared(y) depend(out : y) /* @first */
			y = 1;
#pragma omp taskwait depend(in : y) /* @wait2 */
			CHECK(y == 1);
#pragma omp task shared(y) depend(inout : y) /* @second */
			y = 2;
#pragma omp task shared(y) depend(in : y) if (0) /* @now */
			CHECK(y == 2);
			set_flag(&may_end);
		}
#pragma omp taskwait depend(in : x) /* @wait1 */
		CHECK(x == 1);
	}
	return 0;
}
