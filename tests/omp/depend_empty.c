/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of dependences that turn out to be empty: of a task, of an undeferred one, of a taskwait. */
#include "check.h"

int main(void)
{
	int v[4] = {0}, n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 4; i++)
#pragma omp task shared(v) firstprivate(i) depend(out : v[i]) /* @one */
			v[i] = 1;
#pragma omp task shared(v, n) depend(iterator(i = 0 : n), in : v[i]) /* @none */
		add(&v[0], 0);
#pragma omp taskwait depend(iterator(i = 0 : n), in : v[i])              /* @wait */
#pragma omp task shared(n) depend(iterator(i = 0 : n), in : v[i]) if (0) /* @now */
		n = 1;
#pragma omp task shared(v, n) depend(iterator(i = 0 : n), inout : v[i]) /* @first */
		v[0] = 2;
	}
	CHECK(v[0] == 2 && v[3] == 1);
	return 0;
}
