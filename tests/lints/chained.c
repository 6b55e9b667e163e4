/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All tasks name one variable as inout, though they only read it.
lint: chained @task @task 40 40
on: x
 */
#include <stdio.h>

int main(void)
{
	int x = 1;
	printf("x 0x%lx\n", (unsigned long)&x);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++) {
#ifdef MENDED
#pragma omp task depend(in : x)
#else
#pragma omp task depend(inout : x) /* @task */
#endif
		(void)x;
	}
	return 0;
}
