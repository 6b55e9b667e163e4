/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of several sizes, one after the other, and a row of them in a loop. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @two */
	add(&n, 1);
#pragma omp parallel num_threads(8) /* @eight */
	add(&n, 1);
#pragma omp parallel num_threads(4) /* @four */
	add(&n, 1);
	for (int i = 0; i < 5; i++)
#pragma omp parallel num_threads(3) /* @row */
		add(&n, 1);
	CHECK(n == 29);
	return 0;
}
