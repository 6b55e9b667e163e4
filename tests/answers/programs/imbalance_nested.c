/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nested regions: the inner one, of two threads, leaves most of the work to one of them.
limit: imbalance @inner 1.4 1.9
mended: none
environment: OMP_MAX_ACTIVE_LEVELS=2
 */
#include "busy.h"

static void step(void)
{
#pragma omp parallel num_threads(2) /* @inner */
	busy(MENDED ? 3000 : 1000 + 4000 * omp_get_thread_num());
}

int main(void)
{
#pragma omp parallel num_threads(1)
	for (int r = 0; r < 6; r++)
		step();
	return 0;
}
