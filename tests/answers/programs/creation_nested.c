/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task, and not the single, makes all others.
limit: creation @task 1.25 1.42
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		for (int i = 0; i < 60; i++) {
			if (!MENDED)
				busy(600);
#pragma omp task /* @task */
			busy(MENDED ? 900 : 300);
		}
	}
	return 0;
}
