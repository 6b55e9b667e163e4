/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * if(0): the creator executes each task itself.
limit: wait/undeferred @task 1.7 2
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 60; i++) {
#pragma omp task if (MENDED) /* @task */
			busy(1000);
		}
	}
	return 0;
}
