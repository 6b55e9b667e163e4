/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependences over synchronisations: siblings stay siblings over a taskwait, a taskgroup and a barrier. */
#include "check.h"

int main(void)
{
	int x = 0;
#pragma omp parallel /* @region */
	{
#pragma omp masked
		{
#pragma omp task shared(x) depend(out : x) /* @one */
			x = 1;
#pragma omp taskwait                         /* @wait */
#pragma omp task shared(x) depend(inout : x) /* @two */
			x = 2;
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(x) depend(inout : x) /* @three */
				x = 3;
#pragma omp task shared(x) depend(inout : x) /* @four */
				x = 4;
			}
#pragma omp task shared(x) depend(inout : x) /* @five */
			x = 5;
		}
#pragma omp barrier /* @barrier */
		CHECK(x == 5);
#pragma omp barrier /* @second */
#pragma omp masked
#pragma omp task shared(x) depend(inout : x) /* @six */
		x = 6;
	}
	CHECK(x == 6);
	return 0;
}
