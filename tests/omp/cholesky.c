/* SPDX-License-Identifier: BSD-3-Clause */
/* The task structure of a blocked Cholesky factorisation; block (i, j) counts the operations that it saw. */
#include "check.h"

#define N 6

int main(void)
{
	int a[N][N] = {{0}};
#pragma omp parallel /* @region */
#pragma omp single nowait
	for (int k = 0; k < N; k++) {
#pragma omp task shared(a) firstprivate(k) depend(inout : a[k][k]) /* @potrf */
		{
			CHECK(a[k][k] == k);
			a[k][k]++;
		}
		for (int i = k + 1; i < N; i++)
#pragma omp task shared(a) firstprivate(i, k) depend(in : a[k][k]) depend(inout : a[i][k]) /* @trsm */
		{
			CHECK(a[k][k] == k + 1 && a[i][k] == k);
			a[i][k]++;
		}
		for (int i = k + 1; i < N; i++) {
#pragma omp task shared(a) firstprivate(i, k) depend(in : a[i][k]) depend(inout : a[i][i]) /* @syrk */
			{
				CHECK(a[i][k] == k + 1 && a[i][i] == k);
				a[i][i]++;
			}
			for (int j = k + 1; j < i; j++)
#pragma omp task shared(a) firstprivate(i, j, k) depend(in : a[i][k], a[j][k]) depend(inout : a[i][j]) /* @gemm */
			{
				CHECK(a[i][k] == k + 1 && a[j][k] == k + 1 && a[i][j] == k);
				a[i][j]++;
			}
		}
	}
	CHECK(a[N - 1][N - 1] == N);
	return 0;
}
