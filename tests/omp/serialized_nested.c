/* SPDX-License-Identifier: BSD-3-Clause */
/* Three levels of regions of one thread each, with tasks before, in, and behind the inner ones. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel if (0) /* @outer */
	{
#pragma omp task shared(n) /* @outertask */
		n += 1;
#pragma omp parallel if (0) /* @middle */
		{
#pragma omp task shared(n) /* @middletask */
			n += 10;
#pragma omp parallel num_threads(1) /* @inner */
			{
				CHECK(omp_get_level() == 3 && omp_get_active_level() == 0);
#pragma omp task shared(n) /* @innertask */
				n += 100;
			}
#pragma omp task shared(n) /* @middlebehind */
			n += 1000;
		}
#pragma omp task shared(n) /* @outerbehind */
		n += 10000;
#pragma omp taskwait /* @wait */
	}
	CHECK(n == 11111);
	return 0;
}
