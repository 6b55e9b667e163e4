/* SPDX-License-Identifier: BSD-3-Clause */
/* Undeferred tasks with dependences, and waits with dependences that other tasks follow. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @first */
		x = 1;
#pragma omp task shared(x, y) depend(inout : x) if (0) /* @now */
		y = x++;
#pragma omp task shared(x) depend(in : x) /* @reader */
		CHECK(x == 2);
#pragma omp taskwait depend(inout : x) /* @wait */
#pragma omp task shared(y)             /* @plain */
		add(&y, 1);
#pragma omp task shared(x) depend(inout : x) /* @second */
		x = 3;
#pragma omp taskwait depend(inout : x) /* @again */
#pragma omp task shared(y) if (0)      /* @free */
		add(&y, 1);
#pragma omp task shared(x) depend(inout : x) if (x < 0) /* @last */
		x = 4;
		CHECK(x == 4);
	}
	CHECK(y == 3);
	return 0;
}
