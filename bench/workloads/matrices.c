/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrices in blocks: the LU factors of a sparse one by tasks with dependences, and Strassen's product by recursive tasks.
 */
#include "bench/workloads/workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sparse LU ---- */

#define LU_BLOCK 16 /* a block's rows and columns: a task takes a few microseconds */

typedef double lu_block[LU_BLOCK][LU_BLOCK];

/* Block (i, j) of n x n; NULL: all zero. */
struct lu_matrix {
	uint64_t n;
	lu_block **blocks;
};

static lu_block **lu_at(struct lu_matrix m, uint64_t i, uint64_t j)
{
	return &m.blocks[i * m.n + j];
}

/* Diagonally dominant, so that no pivot is needed; a quarter of the blocks beside the diagonals is there. */
static struct lu_matrix lu_make(uint64_t n)
{
	struct lu_matrix m = {n, zeroed(n * n, sizeof *m.blocks)};
	for (uint64_t i = 0; i < n; i++) {
		for (uint64_t j = 0; j < n; j++) {
			uint64_t apart = i < j ? j - i : i - j;
			if (apart > 1 && mix(i * n + j) % 4 != 0)
				continue;
			lu_block *block = *lu_at(m, i, j) = zeroed(1, sizeof *block);
			for (uint64_t k = 0; k < LU_BLOCK * LU_BLOCK; k++) {
				uint64_t row = k / LU_BLOCK, column = k % LU_BLOCK;
				(*block)[row][column] = (double)(mix(k + (i * n + j) * 1000) % 1000) / 1000.0;
				if (apart == 0 && row == column)
					(*block)[row][column] += (double)(n * LU_BLOCK);
			}
		}
	}
	return m;
}

static void lu_free(struct lu_matrix m)
{
	for (uint64_t i = 0; i < m.n * m.n; i++)
		free(m.blocks[i]);
	free(m.blocks);
}

static void lu_factor(lu_block *diagonal)
{
	for (int k = 0; k < LU_BLOCK; k++) {
		for (int i = k + 1; i < LU_BLOCK; i++) {
			(*diagonal)[i][k] /= (*diagonal)[k][k];
			for (int j = k + 1; j < LU_BLOCK; j++)
				(*diagonal)[i][j] -= (*diagonal)[i][k] * (*diagonal)[k][j];
		}
	}
}

/* A block right of the diagonal one. */
static void lu_row(const lu_block *diagonal, lu_block *right)
{
	for (int k = 0; k < LU_BLOCK; k++)
		for (int i = k + 1; i < LU_BLOCK; i++)
			for (int j = 0; j < LU_BLOCK; j++)
				(*right)[i][j] -= (*diagonal)[i][k] * (*right)[k][j];
}

/* A block below it. */
static void lu_column(const lu_block *diagonal, lu_block *below)
{
	for (int i = 0; i < LU_BLOCK; i++) {
		for (int k = 0; k < LU_BLOCK; k++) {
			(*below)[i][k] /= (*diagonal)[k][k];
			for (int j = k + 1; j < LU_BLOCK; j++)
				(*below)[i][j] -= (*below)[i][k] * (*diagonal)[k][j];
		}
	}
}

static void lu_update(const lu_block *below, const lu_block *right, lu_block *inner)
{
	for (int i = 0; i < LU_BLOCK; i++)
		for (int k = 0; k < LU_BLOCK; k++)
			for (int j = 0; j < LU_BLOCK; j++)
				(*inner)[i][j] -= (*below)[i][k] * (*right)[k][j];
}

static uint64_t lu_step(struct lu_matrix m, uint64_t k, bool has_tasks)
{
	uint64_t n_tasks = 1;
	lu_block *diagonal = *lu_at(m, k, k);
	if (has_tasks) {
#pragma omp task depend(inout : *diagonal) firstprivate(diagonal)
		lu_factor(diagonal);
	} else {
		lu_factor(diagonal);
	}
	for (uint64_t j = k + 1; j < m.n; j++) {
		lu_block *right = *lu_at(m, k, j), *below = *lu_at(m, j, k);
		if (has_tasks && right) {
#pragma omp task depend(in : *diagonal) depend(inout : *right) firstprivate(diagonal, right)
			lu_row(diagonal, right);
		} else if (right) {
			lu_row(diagonal, right);
		}
		if (has_tasks && below) {
#pragma omp task depend(in : *diagonal) depend(inout : *below) firstprivate(diagonal, below)
			lu_column(diagonal, below);
		} else if (below) {
			lu_column(diagonal, below);
		}
		n_tasks += (right ? 1u : 0u) + (below ? 1u : 0u);
	}
	for (uint64_t i = k + 1; i < m.n; i++) {
		lu_block *below = *lu_at(m, i, k);
		for (uint64_t j = k + 1; below && j < m.n; j++) {
			lu_block *right = *lu_at(m, k, j), **inner = lu_at(m, i, j);
			if (!right)
				continue;
			if (!*inner)
				*inner = zeroed(1, sizeof **inner);
			lu_block *target = *inner;
			n_tasks++;
			if (has_tasks) {
#pragma omp task depend(in : *below, *right) depend(inout : *target) firstprivate(below, right, target)
				lu_update(below, right, target);
			} else {
				lu_update(below, right, target);
			}
		}
	}
	return n_tasks;
}

/* Which updates a block sees, and in which order, is the same with and without tasks: so is every bit. SIZE: blocks a side. */
static uint64_t sparselu(uint64_t size)
{
	struct lu_matrix m = lu_make(size), serial = lu_make(size);
	uint64_t n_tasks = 0, n_serial = 0;
	timed_begin();
#pragma omp parallel
#pragma omp single
	for (uint64_t k = 0; k < size; k++)
		n_tasks += lu_step(m, k, true);
	timed_end();
	for (uint64_t k = 0; k < size; k++)
		n_serial += lu_step(serial, k, false);
	check(n_tasks == n_serial, "the number of tasks");
	for (uint64_t i = 0; i < size * size; i++) {
		check((m.blocks[i] != NULL) == (serial.blocks[i] != NULL), "which blocks are filled");
		check(!m.blocks[i] || memcmp(m.blocks[i], serial.blocks[i], sizeof(lu_block)) == 0, "the factors");
	}
	lu_free(m);
	lu_free(serial);
	return n_tasks;
}

/* ---- Strassen ---- */

#define STRASSEN_CUT 32 /* below it a product is one task's: some ten microseconds */

/* A square part of a matrix: the distance between its rows is not its size. */
struct part {
	double *first;
	size_t stride;
};

static struct part quarter(struct part whole, size_t half, int row, int column)
{
	return (struct part){whole.first + (size_t)row * half * whole.stride + (size_t)column * half, whole.stride};
}

/* out = a + sign * b */
static void part_add(size_t n, struct part out, struct part a, double sign, struct part b)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			out.first[i * out.stride + j] = a.first[i * a.stride + j] + sign * b.first[i * b.stride + j];
}

static void part_multiply(size_t n, struct part out, struct part a, struct part b)
{
	for (size_t i = 0; i < n; i++) {
		double *row = out.first + i * out.stride;
		memset(row, 0, n * sizeof *row);
		for (size_t k = 0; k < n; k++)
			for (size_t j = 0; j < n; j++)
				row[j] += a.first[i * a.stride + k] * b.first[k * b.stride + j];
	}
}

static void strassen_task(size_t n, struct part out, struct part a, struct part b);

/* One of the seven products: (a1 + sign_a a2) (b1 + sign_b b2), a sign of zero meaning that there is no second. */
struct product {
	struct part a1, a2, b1, b2;
	double sign_a, sign_b;
};

static void product_task(size_t n, struct part out, struct product p)
{
	done++;
	double *room = zeroed(2 * n * n, sizeof *room);
	struct part a = {room, n}, b = {room + n * n, n};
	if (p.sign_a != 0)
		part_add(n, a, p.a1, p.sign_a, p.a2);
	if (p.sign_b != 0)
		part_add(n, b, p.b1, p.sign_b, p.b2);
	strassen_task(n, out, p.sign_a != 0 ? a : p.a1, p.sign_b != 0 ? b : p.b1);
	free(room);
}

static void strassen_task(size_t n, struct part out, struct part a, struct part b)
{
	if (n <= STRASSEN_CUT) {
		part_multiply(n, out, a, b);
		return;
	}
	size_t half = n / 2;
	struct part a11 = quarter(a, half, 0, 0), a12 = quarter(a, half, 0, 1), a21 = quarter(a, half, 1, 0),
		    a22 = quarter(a, half, 1, 1);
	struct part b11 = quarter(b, half, 0, 0), b12 = quarter(b, half, 0, 1), b21 = quarter(b, half, 1, 0),
		    b22 = quarter(b, half, 1, 1);
	const struct product products[7] = {
		{a11, a22, b11, b22, 1, 1}, {a21, a22, b11, b11, 1, 0},  {a11, a11, b12, b22, 0, -1}, {a22, a22, b21, b11, 0, -1},
		{a11, a12, b22, b22, 1, 0}, {a21, a11, b11, b12, -1, 1}, {a12, a22, b21, b22, -1, 1},
	};
	double *room = zeroed(7 * half * half, sizeof *room);
	struct part m[7];
	for (int i = 0; i < 7; i++) {
		struct part product = m[i] = (struct part){room + (size_t)i * half * half, half};
#pragma omp task firstprivate(i, product)
		product_task(half, product, products[i]);
	}
#pragma omp taskwait
	struct part c11 = quarter(out, half, 0, 0), c12 = quarter(out, half, 0, 1), c21 = quarter(out, half, 1, 0),
		    c22 = quarter(out, half, 1, 1);
	part_add(half, c11, m[0], 1, m[3]);
	part_add(half, c11, c11, -1, m[4]);
	part_add(half, c11, c11, 1, m[6]);
	part_add(half, c12, m[2], 1, m[4]);
	part_add(half, c21, m[1], 1, m[3]);
	part_add(half, c22, m[0], -1, m[1]);
	part_add(half, c22, c22, 1, m[2]);
	part_add(half, c22, c22, 1, m[5]);
	free(room);
}

/* out = m x */
static void apply(size_t n, const double *m, const double *x, double *out)
{
	for (size_t i = 0; i < n; i++) {
		out[i] = 0;
		for (size_t j = 0; j < n; j++)
			out[i] += m[i * n + j] * x[j];
	}
}

/* All numbers are small integers, so everything is exact. Freivalds' check: C x = A (B x) for some x. SIZE: a power of two. */
static uint64_t strassen(uint64_t size)
{
	check(size >= STRASSEN_CUT && (size & (size - 1)) == 0, "the size: a power of two, 32 at least");
	double *a = zeroed(size * size, sizeof *a), *b = zeroed(size * size, sizeof *b), *c = zeroed(size * size, sizeof *c);
	for (uint64_t i = 0; i < size * size; i++) {
		a[i] = (double)(mix(i) % 8);
		b[i] = (double)(mix(~i) % 8);
	}
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		strassen_task(size, (struct part){c, size}, (struct part){a, size}, (struct part){b, size});
		sum_done();
	}
	timed_end();
	double *x = zeroed(4 * size, sizeof *x);
	for (uint64_t try = 0; try < 4; try++) {
		for (uint64_t i = 0; i < size; i++)
			x[i] = (double)(mix(i + try * size) % 100);
		apply(size, b, x, x + size);
		apply(size, a, x + size, x + 2 * size);
		apply(size, c, x, x + 3 * size);
		check(memcmp(x + 2 * size, x + 3 * size, size * sizeof *x) == 0, "the product");
	}
	free(a);
	free(b);
	free(c);
	free(x);
	return take_done();
}

const struct workload matrix_workloads[] = {
	{"sparselu", sparselu, "a task on a block, with up to three dependences", 48, 28, 20},
	{"strassen", strassen, "one of seven products", 512, 256, 128},
	{NULL, NULL, NULL, 0, 0, 0},
};
