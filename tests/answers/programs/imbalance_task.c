/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The longest task is made last; or the same work as short ones.
limit: imbalance @task 1.3 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task
			busy(500);
		}
		for (int i = 0; i < (MENDED ? 60 : 1); i++) {
#pragma omp task /* @task */
			busy(MENDED ? 500 : 30000);
		}
	}
	return 0;
}
