/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As many sections as threads, which take equally long.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 10; r++) {
#pragma omp sections
		{
			busy(2500);
#pragma omp section
			busy(2500);
		}
	}
	return 0;
}
