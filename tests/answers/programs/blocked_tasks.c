/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks wait for a device, as long as they work.
limit: blocked @task 1.8 2.4
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 60; i++) {
#pragma omp task /* @task */
		{
			if (!MENDED)
				asleep(500);
			busy(500);
		}
	}
	return 0;
}
