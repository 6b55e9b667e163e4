/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskloop whose first tasks give way to the others. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single                /* @single */
#pragma omp taskloop grainsize(1) /* @loop */
	for (int j = 0; j < 10; j++) {
		for (int k = 0; j < 2 && k < 50; k++) {
#pragma omp taskyield
			usleep(3);
		}
		add(&n, 1);
	}
	CHECK(n == 10);
	return 0;
}
