/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks exclude each other by their dependences, though each has data of its own.
limit: exclusion @task 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
	int x[60];
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 60; i++) {
#pragma omp task depend(mutexinoutset : x[MENDED * i]) /* @task */
		busy(900);
	}
	return 0;
}
