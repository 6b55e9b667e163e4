/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Independent tasks that are long enough.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 80; i++) {
#pragma omp task
			busy(1000);
		}
	}
	return 0;
}
