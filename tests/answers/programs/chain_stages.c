/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each step has two stages of which the second depends on the first, and the next step on the second.
limit: chain @second,@first 1.7 2
mended: none
 */
#include "busy.h"

int main(void)
{
	int x[30];
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 30; i++) {
			int *z = MENDED ? &x[i] : x;
#pragma omp task depend(inout : z[0]) /* @first */
			busy(900);
#pragma omp task depend(inout : z[0]) /* @second */
			busy(900);
		}
	}
	return 0;
}
