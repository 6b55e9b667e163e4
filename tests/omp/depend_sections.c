/* SPDX-License-Identifier: BSD-3-Clause */
/* Array sections: identical ones are one location, disjoint ones are two; single elements, strides, two dimensions, pointers. */
#include "check.h"

#define N 4

int main(void)
{
	int v[2 * N] = {0}, m[N][N] = {{0}}, *p = v;
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(v) depend(out : v [0:N]) /* @low */
		v[0] = 1;
#pragma omp task shared(v) depend(out : v [N:N]) /* @high */
		v[N] = 2;
#pragma omp task shared(v) firstprivate(p) depend(in : p [0:N]) /* @lowreader */
		CHECK(p[0] == 1);
#pragma omp task shared(v) depend(in : v [N:]) /* @highreader */
		CHECK(v[N] == 2);
#pragma omp task shared(v) depend(inout : v[:N], v [N:N]) /* @whole */
		v[0] = v[N] = 3;
		for (int i = 0; i < N; i++)
#pragma omp task shared(m) firstprivate(i) depend(out : m[i] [0:N]) /* @row */
			m[i][0] = i;
#pragma omp task shared(m) depend(in : m[1] [0:N], m[3] [0:N]) /* @rows */
		CHECK(m[1][0] == 1 && m[3][0] == 3);
#pragma omp task shared(m) depend(iterator(i = 0 : N), in : m[i] [0:N]) /* @all */
		CHECK(m[2][0] == 2);
	}
	CHECK(v[0] == 3 && v[N] == 3);
	return 0;
}
