/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of two constructs one is prepared for long.
limit: creation @task 1.2 1.4
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 30; i++) {
#pragma omp task
			busy(200);
			if (!MENDED)
				busy(900);
#pragma omp task /* @task */
			busy(MENDED ? 1200 : 300);
		}
	}
	return 0;
}
