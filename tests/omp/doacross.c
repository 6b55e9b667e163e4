/* SPDX-License-Identifier: BSD-3-Clause */
/* A doacross loop: dependences between iterations, not between tasks. */
#include "check.h"

#define N 20

int main(void)
{
	int order = 0;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static, 1)
	for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
		CHECK(order == i);
		order = i + 1;
#pragma omp ordered depend(source)
	}
	CHECK(order == N);
	return 0;
}
