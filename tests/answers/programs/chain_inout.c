/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each task of one construct depends on the one before it, and those of the other one on nothing.
limit: chain @link 1.4 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
	int x[60];
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 60; i++) {
#pragma omp task depend(inout : x[MENDED * i]) /* @link */
			busy(900);
#pragma omp task
			busy(200);
		}
	}
	return 0;
}
