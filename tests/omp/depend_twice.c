/* SPDX-License-Identifier: BSD-3-Clause */
/* Several variables, and the same one more than once in a list, with one type or two. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, z = 0;
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(x, y) depend(out : x, y) depend(out : z) /* @all */
		x = y = 1;
#pragma omp task shared(x) depend(in : x, x) /* @twice */
		CHECK(x == 1);
#pragma omp task shared(x) depend(in : x) depend(out : x) /* @mixed */
		x += 1;
#pragma omp task shared(x) depend(in : x) /* @reader */
		CHECK(x == 2);
#pragma omp task shared(x, y, z) depend(in : y) depend(out : z) depend(in : x) /* @other */
		{
			CHECK(x == 2 && y == 1);
			z = 1;
		}
#pragma omp task shared(x) depend(out : x) depend(in : x) /* @again */
		x += 1;
#pragma omp task shared(y) depend(inout : y, y) /* @end */
		y = 9;
	}
	CHECK(x == 3 && y == 9 && z == 1);
	return 0;
}
