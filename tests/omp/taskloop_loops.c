/* SPDX-License-Identifier: BSD-3-Clause */
/* taskloop: collapsed, one iteration, none, more tasks asked for than iterations, taskloop simd, reduction. */
#include "check.h"

int main(void)
{
	int n = 0, sum = 0, v[64];
	unsigned char hits[4][6] = {{0}};
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop collapse(2) num_tasks(6) shared(hits) /* @collapsed */
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 6; j++)
				hits[i][j]++;
		for (int i = 0; i < 24; i++)
			CHECK(hits[i / 6][i % 6] == 1);
#pragma omp taskloop num_tasks(8) shared(n) /* @few */
		for (int i = 0; i < 3; i++)
			add(&n, 1);
#pragma omp taskloop num_tasks(1) shared(n) /* @one */
		for (int i = 0; i < 100; i++)
			add(&n, 1);
#pragma omp taskloop num_tasks(4) shared(n) /* @none */
		for (int i = 0; i < 0; i++)
			add(&n, 1000);
		CHECK(n == 103);
#pragma omp taskloop simd num_tasks(4) shared(v) /* @simd */
		for (int i = 0; i < 64; i++)
			v[i] = i;
#pragma omp taskloop num_tasks(7) reduction(+ : sum) /* @reduction */
		for (int i = 0; i < 64; i++)
			sum += v[i];
		CHECK(sum == 2016);
	}
	return 0;
}
