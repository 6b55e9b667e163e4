/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each task depends on the one before it, in eight chains at once.
limit: none
 */
#include "busy.h"

int main(void)
{
	int x[8];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 64; i++) {
#pragma omp task depend(inout : x[i % 8])
		busy(800);
	}
	return 0;
}
