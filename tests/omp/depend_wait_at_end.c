/* SPDX-License-Identifier: BSD-3-Clause */
/* A task that waits for dependences, run by a thread that is in its region's closing barrier already. */
#include "check.h"

int main(void)
{
	int y = 0, is_done = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(y, is_done) /* @outer */
		{
#pragma omp task shared(y) depend(out : y) /* @first */
			y = 1;
#pragma omp taskwait depend(in : y) /* @wait */
			CHECK(y == 1);
#pragma omp task shared(y) depend(inout : y) if (0) /* @now */
			y = 2;
			CHECK(y == 2);
			set_flag(&is_done);
		}
		wait_for(&is_done); /* so that it is the other thread that runs @outer */
	}
	return 0;
}
