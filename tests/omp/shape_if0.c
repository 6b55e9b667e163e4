/* SPDX-License-Identifier: BSD-3-Clause */
/* A region that is told not to be parallel, with single in it. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(4) if (0) /* @parallel */
#pragma omp single                         /* @single */
	{
		CHECK(omp_get_num_threads() == 1);
		n++;
	}
	CHECK(n == 1);
	return 0;
}
