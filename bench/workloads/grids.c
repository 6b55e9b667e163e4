/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Grids: Gauss-Seidel sweeps over blocks by tasks with dependences, and conjugate gradients by loops and reductions.
 */
#include "bench/workloads/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Gauss-Seidel ---- */

#define STENCIL_SIDE   512                            /* points a side, and a border of one around them */
#define STENCIL_BLOCK  32                             /* a block's: a task takes a few microseconds */
#define STENCIL_BLOCKS (STENCIL_SIDE / STENCIL_BLOCK) /* blocks a side, with a border around them as well */
#define STENCIL_STRIDE (STENCIL_SIDE + 2)

static double *stencil_make(void)
{
	double *grid = zeroed((size_t)STENCIL_STRIDE * STENCIL_STRIDE, sizeof *grid);
	for (uint64_t i = 0; i < (uint64_t)STENCIL_STRIDE * STENCIL_STRIDE; i++)
		grid[i] = (double)(mix(i) % 1000);
	return grid;
}

static void stencil_block(double *grid, int row, int column)
{
	for (int i = 1 + row * STENCIL_BLOCK; i <= (row + 1) * STENCIL_BLOCK; i++) {
		double *line = grid + (size_t)i * STENCIL_STRIDE;
		for (int j = 1 + column * STENCIL_BLOCK; j <= (column + 1) * STENCIL_BLOCK; j++)
			line[j] = 0.25 * (line[j - 1] + line[j + 1] + line[j - STENCIL_STRIDE] + line[j + STENCIL_STRIDE]);
	}
}

/* A block waits for what lies before it, in this sweep, and for what lies behind it, in the sweep before: a wave front. */
static void stencil_tasks(double *grid, uint64_t n_sweeps)
{
	static char tokens[STENCIL_BLOCKS + 2][STENCIL_BLOCKS + 2]; /* only their addresses matter */
#define TOKEN(row, column) tokens[(row) + 1][(column) + 1]
	(void)tokens; /* gcc takes the clauses for no use */
	for (uint64_t sweep = 0; sweep < n_sweeps; sweep++) {
		for (int i = 0; i < STENCIL_BLOCKS; i++) {
			for (int j = 0; j < STENCIL_BLOCKS; j++) {
#pragma omp task depend(in : TOKEN(i - 1, j), TOKEN(i, j - 1), TOKEN(i, j + 1), TOKEN(i + 1, j)) depend(inout : TOKEN(i, j))
				stencil_block(grid, i, j);
			}
		}
	}
}

/* SIZE: sweeps. The order of the blocks that see each other is that of the serial sweeps: so is every bit of the result. */
static uint64_t stencil(uint64_t size)
{
	double *grid = stencil_make(), *serial = stencil_make();
	timed_begin();
#pragma omp parallel
#pragma omp single
	stencil_tasks(grid, size);
	timed_end();
	for (uint64_t i = 0; i < size * STENCIL_BLOCKS * STENCIL_BLOCKS; i++)
		stencil_block(serial, (int)(i / STENCIL_BLOCKS % STENCIL_BLOCKS), (int)(i % STENCIL_BLOCKS));
	check(memcmp(grid, serial, sizeof(double) * STENCIL_STRIDE * STENCIL_STRIDE) == 0, "the grid after the sweeps");
	free(grid);
	free(serial);
	return size * STENCIL_BLOCKS * STENCIL_BLOCKS;
}

/* ---- Conjugate gradients ---- */

#define CG_LOOPS 5 /* worksharing loops in an iteration */

/* The five-point Laplacian of a square with a border of zeros. x has `side + 2` zeros before and behind it. */
static double laplacian(const double *x, int64_t side, int64_t i)
{
	int64_t column = i % side;
	double left = column > 0 ? x[i - 1] : 0, right = column < side - 1 ? x[i + 1] : 0;
	double up = i >= side ? x[i - side] : 0, down = i < side * (side - 1) ? x[i + side] : 0;
	return 4 * x[i] - left - right - up - down;
}

struct cg {
	int64_t side;
	double *x, *r, *p, *q;
};

/* Solves A x = b, with b in r and zeros in x, until the residual has shrunk by 1e-8; the number of iterations. */
static uint64_t cg_solve(struct cg cg)
{
	int64_t n = cg.side * cg.side;
	uint64_t n_iterations = 0;
	double rr = 0, pq = 0, next = 0, goal = 0;
#pragma omp parallel
	{
#pragma omp for schedule(static) reduction(+ : rr)
		for (int64_t i = 0; i < n; i++) {
			cg.p[i] = cg.r[i];
			rr += cg.r[i] * cg.r[i];
		}
#pragma omp single
		goal = rr * 1e-16;
		while (rr > goal) {
#pragma omp for schedule(static)
			for (int64_t i = 0; i < n; i++)
				cg.q[i] = laplacian(cg.p, cg.side, i);
#pragma omp for schedule(static) reduction(+ : pq)
			for (int64_t i = 0; i < n; i++)
				pq += cg.p[i] * cg.q[i];
			double step = rr / pq;
#pragma omp for schedule(static)
			for (int64_t i = 0; i < n; i++)
				cg.x[i] += step * cg.p[i];
#pragma omp for schedule(static) reduction(+ : next)
			for (int64_t i = 0; i < n; i++) {
				cg.r[i] -= step * cg.q[i];
				next += cg.r[i] * cg.r[i];
			}
			double turn = next / rr;
#pragma omp for schedule(static)
			for (int64_t i = 0; i < n; i++)
				cg.p[i] = cg.r[i] + turn * cg.p[i];
#pragma omp single
			{
				rr = next;
				pq = next = 0;
				n_iterations++;
			}
		}
	}
	return n_iterations;
}

/* A x = b where b is A applied to ones: x must be ones. SIZE: points a side. */
static uint64_t cg(uint64_t size)
{
	size_t n = size * size;
	double *room = zeroed(4 * n, sizeof *room);
	struct cg cg = {(int64_t)size, room, room + n, room + 2 * n, room + 3 * n};
	for (size_t i = 0; i < n; i++)
		cg.p[i] = 1;
	for (size_t i = 0; i < n; i++)
		cg.r[i] = laplacian(cg.p, cg.side, (int64_t)i);
	timed_begin();
	uint64_t n_iterations = cg_solve(cg);
	timed_end();
	for (size_t i = 0; i < n; i++)
		check(fabs(cg.x[i] - 1) < 1e-4, "the solution");
	free(room);
	return n_iterations * CG_LOOPS;
}

const struct workload grid_workloads[] = {
	{"stencil", stencil, "a block's sweep, with five dependences", 80, 20, 10},
	{"cg", cg, "a loop over all points, two of five with a reduction", 160, 80, 48},
	{NULL, NULL, NULL, 0, 0, 0},
};
