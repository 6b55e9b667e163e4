/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program of docs/tutorial.md: sums an array by recursive tasks. The tutorial finds out how its time is spent.
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define N (1 << 22)

static double sum(const double *v, long n)
{
	double left, right;
	if (n <= N / 16) {
		double s = 0;
		for (long i = 0; i < n; i++)
			s += v[i];
		return s;
	}
#pragma omp task shared(left)
	left = sum(v, n / 2);
#pragma omp task shared(right)
	right = sum(v + n / 2, n - n / 2);
#pragma omp taskwait
	return left + right;
}

int main(void)
{
	double *v = malloc(N * sizeof *v), total = 0;
	if (v == NULL)
		return 1;
	printf("%d threads\n", omp_get_max_threads());
	for (long i = 0; i < N; i++)
		v[i] = sin((double)i) / (double)(i + 1);
#pragma omp parallel
#pragma omp single
	total = sum(v, N);
	printf("%.6f\n", total);
	free(v);
	return 0;
}
