/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process may use one processor alone, and has two threads.
limit: binding|preemption - 1.7 100
mended: none
 */
#include "busy.h"

int main(void)
{
	if (!MENDED)
		stay_on(0);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++) {
#pragma omp task
		busy(1000);
	}
	return 0;
}
