/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A chain, and less of serial time.
limit: chain @link 1.4 1.85
mended: serial
 */
#include "busy.h"

int main(void)
{
	int x[50];
	(void)omp_get_max_threads(); /* the runtime begins before what is serial */
	busy(8000);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x[MENDED * i]) /* @link */
		busy(1000);
	}
	return 0;
}
