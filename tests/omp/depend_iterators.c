/* SPDX-License-Identifier: BSD-3-Clause */
/* Iterators in depend: one, two, with a step, counting down, and lists of more than a hundred. */
#include "check.h"

#define N 150

int main(void)
{
	int v[N] = {0}, m[3][3] = {{0}}, n = 0;
#pragma omp parallel
#pragma omp single nowait
	{
		for (int i = 0; i < N; i++)
#pragma omp task shared(v) firstprivate(i) depend(out : v[i]) /* @one */
			v[i] = i;
#pragma omp task shared(v, n) depend(iterator(i = 0 : N), in : v[i]) /* @all */
		for (int i = 0; i < N; i++)
			add(&n, v[i] == i);
#pragma omp task shared(v) depend(iterator(i = N - 1 : -1 : -2), in : v[i]) /* @odd */
		CHECK(v[N - 1] == N - 1);
		for (int i = 0; i < 3; i++)
			for (int j = 0; j < 3; j++)
#pragma omp task shared(m) firstprivate(i, j) depend(out : m[i][j]) /* @cell */
				m[i][j] = 3 * i + j;
#pragma omp task shared(m) depend(iterator(i = 0 : 2, j = 0 : 2), in : m[i][j]) /* @square */
		CHECK(m[0][1] == 1 && m[1][0] == 3 && m[1][1] == 4);
#pragma omp task shared(m) depend(iterator(i = 0 : 3), inout : m[i][i]) depend(in : m[0][1]) /* @diagonal */
		CHECK(m[0][1] == 1 && m[2][2] == 8);
	}
	CHECK(n == N);
	return 0;
}
