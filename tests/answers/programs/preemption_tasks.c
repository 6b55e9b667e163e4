/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads share one processor.
limit: binding @task 1.4 100
mended: *
 */
#include "busy.h"

int main(void)
{
	if (!MENDED) {
#pragma omp parallel
		stay_on(0);
	}
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task /* @task */
			busy(6000);
		}
	}
	return 0;
}
