/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program to try Otter on: it factorises a symmetric matrix (blocked Cholesky: tasks with dependences), fills and checks it with
 * parallel loops, and sums it up recursively (tasks in tasks). demo [BLOCKS [SIZE]], 5 blocks a side of 96 rows each by default.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int n_blocks = 5, size = 96;

/* Block (i, j), its rows one after the other. */
static double *block(double *matrix, int i, int j)
{
	return matrix + ((size_t)i * (size_t)n_blocks + (size_t)j) * (size_t)size * (size_t)size;
}

static double *element(double *matrix, int row, int column)
{
	return block(matrix, row / size, column / size) + row % size * size + column % size;
}

/* a = its own Cholesky factor. */
static void factorise(double *a)
{
	for (int j = 0; j < size; j++) {
		for (int k = 0; k < j; k++)
			a[j * size + j] -= a[j * size + k] * a[j * size + k];
		a[j * size + j] = sqrt(a[j * size + j]);
		for (int i = j + 1; i < size; i++) {
			for (int k = 0; k < j; k++)
				a[i * size + j] -= a[i * size + k] * a[j * size + k];
			a[i * size + j] /= a[j * size + j];
		}
	}
}

/* b = b times the inverse of the transposed factor l. */
static void solve(const double *l, double *b)
{
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++) {
			for (int k = 0; k < j; k++)
				b[i * size + j] -= b[i * size + k] * l[j * size + k];
			b[i * size + j] /= l[j * size + j];
		}
}

/* c = c - a times b transposed. */
static void update(const double *a, const double *b, double *c)
{
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			for (int k = 0; k < size; k++)
				c[i * size + j] -= a[i * size + k] * b[j * size + k];
}

/* One task a block operation; only the blocks that it reads and writes order the tasks. */
static void cholesky(double *m)
{
	for (int k = 0; k < n_blocks; k++) {
		double *diagonal = block(m, k, k);
#pragma omp task depend(inout : diagonal[0])
		factorise(diagonal);
		for (int i = k + 1; i < n_blocks; i++) {
			double *below = block(m, i, k);
#pragma omp task depend(in : diagonal[0]) depend(inout : below[0])
			solve(diagonal, below);
		}
		for (int i = k + 1; i < n_blocks; i++)
			for (int j = k + 1; j <= i; j++) {
				double *left = block(m, i, k), *right = block(m, j, k), *target = block(m, i, j);
#pragma omp task depend(in : left[0], right[0]) depend(inout : target[0])
				update(left, right, target);
			}
	}
#pragma omp taskwait
}

/* Half by half, as long as a half is worth a task. */
static double sum(const double *values, size_t n)
{
	double left = 0, right = 0;
	if (n <= (size_t)n_blocks * (size_t)n_blocks * (size_t)size * (size_t)size / 8) {
		for (size_t i = 0; i < n; i++)
			left += values[i];
		return left;
	}
#pragma omp task shared(left)
	left = sum(values, n / 2);
#pragma omp task shared(right)
	right = sum(values + n / 2, n - n / 2);
#pragma omp taskwait
	return left + right;
}

/* Symmetric, and heavy on its diagonal: it has a factor. */
static double entry(int row, int column)
{
	return row == column ? 2.0 * n_blocks * size : 1.0 / (1.0 + abs(row - column));
}

int main(int argc, char **argv)
{
	if (argc > 1)
		n_blocks = atoi(argv[1]);
	if (argc > 2)
		size = atoi(argv[2]);
	if (n_blocks < 1 || n_blocks > 100 || size < 1 || size > 1000) {
		fprintf(stderr, "usage: demo [BLOCKS [SIZE]], up to 100 and 1000\n");
		return 2;
	}
	int n = n_blocks * size;
	double *m = malloc((size_t)n * (size_t)n * sizeof *m);
	if (!m)
		return 1;
	double total = 0, error = 0;
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < n; i++)
			for (int j = 0; j < n; j++)
				*element(m, i, j) = entry(i, j);
#pragma omp single
		{
			cholesky(m);
			total = sum(m, (size_t)n * (size_t)n);
		}
		/* Some rows of the factor times itself must give the matrix back. */
#pragma omp for reduction(max : error) schedule(dynamic)
		for (int i = 0; i < n; i += n / 7 + 1)
			for (int j = 0; j <= i; j++) {
				double product = 0;
				for (int k = 0; k <= j; k++)
					product += *element(m, i, k) * *element(m, j, k);
				error = fmax(error, fabs(product - entry(i, j)));
			}
	}
	free(m);
	printf("%d x %d, sum of the factor's blocks %.3f, error %.1e\n", n, n, total, error);
	return error < 1e-9 * n ? 0 : 1;
}
