/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic: read, write, update, capture, compare. */
#include "check.h"

int main(void)
{
	int n = 0, last = 0;
	double d = 0;
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 100; i++) {
		int old;
#pragma omp atomic capture
		old = n++;
#pragma omp atomic
		d += 0.5;
#pragma omp atomic write
		last = old;
	}
	CHECK(n == 200 && d == 100 && last >= 99);
	return 0;
}
