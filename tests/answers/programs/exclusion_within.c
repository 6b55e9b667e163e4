/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A critical section within one of another name: the outer one is held for as long as both take.
limit: exclusion @outer 1.5 2
mended: none
 */
#include "busy.h"

static void log_line(void)
{
#pragma omp critical(log)
	busy(20);
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 60; i++) {
#pragma omp task
		{
			busy(100);
			if (MENDED)
				busy(900);
			else {
#pragma omp critical(all) /* @outer */
				{
					busy(900);
					log_line();
				}
			}
		}
	}
	return 0;
}
