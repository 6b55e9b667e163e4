/* SPDX-License-Identifier: BSD-3-Clause */
/* Doacross loops of one and of two dimensions: dependences between iterations, not between tasks, though the iterations create some. */
#include "check.h"

#define N 20
#define M 5

int main(void)
{
	int order = 0, done[M + 1][M + 1] = {{0}}, n = 0;
	for (int i = 0; i <= M; i++)
		done[i][0] = done[0][i] = 1;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp for ordered(1) schedule(static, 1) /* @line */
		for (int i = 0; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
			CHECK(order == i);
			order = i + 1;
#pragma omp ordered depend(source)
		}
		CHECK(order == N);
#pragma omp for ordered(2) schedule(static, 1) /* @plane */
		for (int i = 1; i <= M; i++)
			for (int k = 1; k <= M; k++) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
				int above, left;
#pragma omp atomic read seq_cst
				above = done[i - 1][k];
#pragma omp atomic read seq_cst
				left = done[i][k - 1];
				CHECK(above == 1 && left == 1);
#pragma omp atomic write seq_cst
				done[i][k] = 1;
#pragma omp ordered depend(source)
#pragma omp task shared(n) /* @task */
				add(&n, 1);
			}
	}
	CHECK(n == M * M);
	return 0;
}
