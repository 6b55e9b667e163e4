/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of siblings behind sets of siblings: each depends on all of the set before, and on nobody farther back. */
#include "check.h"

int main(void)
{
	int x = 0, ran = 0;
#pragma omp parallel
#pragma omp single nowait
	{
		for (int i = 0; i < 3; i++)
#pragma omp task shared(x, ran) depend(inoutset : x) /* @set1 */
			add(&ran, 1);
		for (int i = 0; i < 2; i++)
#pragma omp task shared(x, ran) depend(mutexinoutset : x) /* @mutex */
		{
			CHECK(ran == 3);
			x++;
		}
		for (int i = 0; i < 4; i++)
#pragma omp task shared(x, ran) depend(in : x) /* @in1 */
			CHECK(x == 2);
		for (int i = 0; i < 2; i++)
#pragma omp task shared(x, ran) depend(inoutset : x) /* @set2 */
			add(&ran, 10);
		for (int i = 0; i < 2; i++)
#pragma omp task shared(x, ran) depend(out : x) /* @out */
		{
			CHECK(ran == 23);
			x = 9;
		}
		for (int i = 0; i < 3; i++)
#pragma omp task shared(x, ran) depend(in : x) /* @in2 */
			CHECK(x == 9);
#pragma omp task shared(x, ran) depend(mutexinoutset : x) depend(in : x) /* @both */
		x = 10;
	}
	CHECK(x == 10);
	return 0;
}
