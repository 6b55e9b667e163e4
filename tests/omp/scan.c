/* SPDX-License-Identifier: BSD-3-Clause */
/* Inclusive and exclusive scans, a tiled and an unrolled loop. */
#include "check.h"

#define N 20

int main(void)
{
	int a[N], b[N], x = 0, y = 0, hits[N] = {0};
#pragma omp parallel for num_threads(2) reduction(inscan, + : x) /* @inclusive */
	for (int i = 0; i < N; i++) {
		x += i;
#pragma omp scan inclusive(x)
		a[i] = x;
	}
#pragma omp parallel for num_threads(2) reduction(inscan, + : y) /* @exclusive */
	for (int i = 0; i < N; i++) {
		b[i] = y;
#pragma omp scan exclusive(y)
		y += i;
	}
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp for schedule(static) /* @tile */
#pragma omp tile sizes(4)
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(static) /* @unroll */
#pragma omp unroll partial(2)
		for (int i = 0; i < N; i++)
			hits[i]++;
	}
	CHECK(x == 190 && y == 190);
	for (int i = 0; i < N; i++)
		CHECK(a[i] == i * (i + 1) / 2 && b[i] == i * (i - 1) / 2 && hits[i] == 2);
	return 0;
}
