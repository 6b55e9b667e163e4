/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependence lists: several variables, iterators, array sections, depobj. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, v[8] = {0};
	omp_depend_t object;
#pragma omp depobj(object) depend(inout : v[3])
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(x, y) depend(out : x, y) /* @both */
		x = y = 1;
#pragma omp task shared(x, y) depend(in : x, y) /* @again */
		CHECK(x == 1 && y == 1);
		for (int i = 0; i < 8; i++)
#pragma omp task shared(v) depend(out : v[i]) /* @element */
			v[i] = i;
#pragma omp task shared(v) depend(depobj : object) /* @object */
		v[3] *= 10;
#pragma omp task shared(v) depend(iterator(i = 0 : 8 : 2), in : v[i]) /* @even */
		CHECK(v[0] == 0 && v[2] == 2 && v[4] == 4 && v[6] == 6);
#pragma omp task shared(v) depend(iterator(i = 1 : 8 : 2), inout : v[i]) /* @odd */
		CHECK(v[1] == 1 && v[3] == 30 && v[5] == 5 && v[7] == 7);
#pragma omp task shared(v) depend(in : v [0:4]) /* @section */
		CHECK(v[0] == 0);
#pragma omp task shared(v) depend(inout : v[0]) /* @first */
		v[0] = 9;
	}
	omp_depend_t *last = &object;
#pragma omp depobj(*last) destroy
	CHECK(v[0] == 9);
	return 0;
}
