/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A function that the program calls in a loop waits for its tasks, of which one is long.
limit: wait @wait 1.3 1.8
mended: none
 */
#include "busy.h"

static void step(void)
{
#pragma omp task
	busy(500);
#pragma omp task
	busy(3000);
	if (!MENDED) {
#pragma omp taskwait /* @wait */
	}
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++)
		step();
	return 0;
}
