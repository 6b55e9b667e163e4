/* SPDX-License-Identifier: BSD-3-Clause */
/* if(0): the encountering task is suspended until the new one has completed. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task if (0) shared(n) /* @undeferred */
		{
			n += 1;
#pragma omp task if (0) shared(n) /* @inner */
			n *= 10;
			CHECK(n == 10);
		}
		CHECK(n == 10);
#pragma omp taskwait              /* @wait */
#pragma omp task if (0) shared(n) /* @last */
		n += 5;
		CHECK(n == 15);
	}
	return 0;
}
