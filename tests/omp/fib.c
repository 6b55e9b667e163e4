/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive Fibonacci: two tasks and a taskwait in every call but the smallest. */
#include "check.h"

static int fib(int n)
{
	int x, y;
	if (n < 2)
		return n;
#pragma omp task shared(x) /* @left */
	x = fib(n - 1);
#pragma omp task shared(y) /* @right */
	y = fib(n - 2);
#pragma omp taskwait /* @wait */
	return x + y;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 25, result = 0;
#pragma omp parallel
#pragma omp single
	result = fib(n);
	printf("fib %d = %d\n", n, result);
	return 0;
}
