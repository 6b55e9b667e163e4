/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of tasks, two children each, waited for by taskwait. */
#include "check.h"

static int fib(int n)
{
	int i, j;
	if (n < 2)
		return n;
#pragma omp task shared(i) firstprivate(n) /* @left */
	i = fib(n - 1);
#pragma omp task shared(j) firstprivate(n) /* @right */
	j = fib(n - 2);
#pragma omp taskwait /* @wait */
	return i + j;
}

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single /* @single */
	CHECK(fib(8) == 21);
	return 0;
}
