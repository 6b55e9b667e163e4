/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that make tasks and wait for them.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 8; i++) {
#pragma omp task
			{
				for (int j = 0; j < 8; j++) {
#pragma omp task
					busy(1000);
				}
#pragma omp taskwait
			}
		}
	}
	return 0;
}
