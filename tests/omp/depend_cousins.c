/* SPDX-License-Identifier: BSD-3-Clause */
/* Cousins, and tasks of different implicit tasks, name the same variable: they are no siblings. */
#include "check.h"

int main(void)
{
	int x = 0, own = 0, n = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
		for (int i = 0; i < 3; i++)
#pragma omp task shared(own, n) depend(inout : own) /* @own */
			add(&n, 1);
#pragma omp single
		for (int i = 0; i < 2; i++)
#pragma omp task shared(x) /* @parent */
		{
#pragma omp task shared(x) depend(out : x) /* @writer */
			add(&x, 1);
#pragma omp task shared(x) depend(in : x) /* @reader */
			add(&x, 10);
		}
		CHECK(n == 6 && x == 22);
	}
	return 0;
}
