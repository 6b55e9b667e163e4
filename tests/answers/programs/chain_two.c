/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of two constructs with dependences one names the same variable each time.
limit: chain @link 1.3 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
	int x[40], y[40];
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 40; i++) {
#pragma omp task depend(inout : x[i])
			busy(300);
#pragma omp task depend(inout : y[MENDED * i]) /* @link */
			busy(1200);
		}
	}
	return 0;
}
