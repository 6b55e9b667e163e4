/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In each step one thread updates what the others wait for, in a masked construct.
limit: serial/single @masked 1.2 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 10; i++) {
#pragma omp masked /* @masked */
		busy(MENDED ? 0 : 2000);
#pragma omp barrier
		busy(MENDED ? 3000 : 2000);
#pragma omp barrier
	}
	return 0;
}
