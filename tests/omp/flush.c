/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit flushes. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 10; i++) {
#pragma omp flush
		add(&n, 1);
#pragma omp flush(n)
	}
	CHECK(n == 20);
	return 0;
}
