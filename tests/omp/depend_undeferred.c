/* SPDX-License-Identifier: BSD-3-Clause */
/* if(0) tasks with dependences: they wait for predecessors before they run, and are predecessors themselves. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @writer */
		x = 1;
#pragma omp task shared(x, y) depend(inout : x) depend(out : y) if (0) /* @now */
		{
			CHECK(x == 1);
			x = 2;
			y = 1;
		}
		CHECK(x == 2);
#pragma omp task shared(x, y) depend(in : x, y) /* @reader */
		CHECK(x == 2 && y == 1);
#pragma omp task shared(y) if (0) /* @free */
		add(&y, 0);
#pragma omp task shared(x) depend(inout : x) if (x < 0) /* @later */
		x = 3;
		CHECK(x == 3);
	}
	CHECK(x == 3 && y == 1);
	return 0;
}
