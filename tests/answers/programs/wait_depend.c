/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A taskwait with a dependence waits for a task of whose result nothing is needed yet.
limit: wait @wait 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
	int x[30];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 30; i++) {
#pragma omp task depend(out : x[i])
		busy(1500);
		if (!MENDED) {
#pragma omp taskwait depend(in : x[i]) /* @wait */
		}
#pragma omp task
		busy(200);
	}
	return 0;
}
