/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependences hold among siblings only. */
#include "check.h"

int main(void)
{
	int x = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @first */
		{
#pragma omp task shared(x) depend(out : x) /* @child */
			add(&x, 1);
		}
#pragma omp task shared(x) depend(out : x) /* @second */
		add(&x, 1);
	}
	CHECK(x == 2);
	return 0;
}
