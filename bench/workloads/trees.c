/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recursive tasks: Fibonacci without and with a cut-off, n queens, the search of an unbalanced tree, merge sort.
 */
#include "bench/workloads/workload.h"

#include <stdlib.h>
#include <string.h>

/* ---- Fibonacci ---- */

#define FIB_CUT 20 /* a task below it takes some ten microseconds */

static uint64_t fib_serial(unsigned n)
{
	return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

static uint64_t fib_task(unsigned n, unsigned cut)
{
	uint64_t a, b;
	if (n < 2 || n < cut)
		return fib_serial(n);
#pragma omp task shared(a)
	{
		done++;
		a = fib_task(n - 1, cut);
	}
#pragma omp task shared(b)
	{
		done++;
		b = fib_task(n - 2, cut);
	}
#pragma omp taskwait
	return a + b;
}

/* fib(n); and fib(n + 1) in *next. */
static uint64_t fib_loop(unsigned n, uint64_t *next)
{
	uint64_t value = 0;
	for (*next = 1; n > 0; n--) {
		uint64_t sum = value + *next;
		value = *next;
		*next = sum;
	}
	return value;
}

static uint64_t fib_run(unsigned n, unsigned cut)
{
	uint64_t got = 0;
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		got = fib_task(n, cut);
		sum_done();
	}
	timed_end();
	uint64_t next;
	check(got == fib_loop(n, &next), "the Fibonacci number");
	/* Two tasks for each call that is not cut: those form a tree of the same kind, n - cut + 2 high. */
	fib_loop(n + 2 - (cut > 2 ? cut : 2), &next);
	uint64_t n_tasks = take_done();
	check(n_tasks == 2 * (next - 1), "the number of tasks");
	return n_tasks;
}

/* SIZE asks for at least so many tasks: fib(n) makes 2 fib(n + 1) - 2. */
static uint64_t fib(uint64_t size)
{
	unsigned n = 2;
	uint64_t next;
	for (fib_loop(n, &next); 2 * next - 2 < size; fib_loop(n, &next))
		n++;
	return fib_run(n, 2);
}

static uint64_t fibcut(uint64_t size)
{
	return fib_run((unsigned)size, FIB_CUT);
}

/* ---- n queens ---- */

#define QUEENS_TASK_ROWS 4 /* the rows in which each place of a queen is a task of its own */

static uint64_t queens_place(unsigned n, unsigned row, uint32_t columns, uint32_t left, uint32_t right)
{
	uint64_t n_solutions = 0;
	if (row == n)
		return 1;
	uint32_t free_columns = ~(columns | left | right) & ((UINT32_C(1) << n) - 1);
	if (row >= QUEENS_TASK_ROWS) {
		for (; free_columns; free_columns &= free_columns - 1) {
			uint32_t queen = free_columns & -free_columns;
			n_solutions += queens_place(n, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
		}
		return n_solutions;
	}
	uint64_t found[32] = {0};
	for (unsigned i = 0; free_columns; i++, free_columns &= free_columns - 1) {
		uint32_t queen = free_columns & -free_columns;
#pragma omp task firstprivate(i, queen) shared(found)
		{
			done++;
			found[i] = queens_place(n, row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
		}
	}
#pragma omp taskwait
	for (unsigned i = 0; i < 32; i++)
		n_solutions += found[i];
	return n_solutions;
}

static uint64_t nqueens(uint64_t size)
{
	/* Known from the literature, for 0 to 15 queens (OEIS A000170). */
	static const uint64_t solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184};
	check(size >= QUEENS_TASK_ROWS && size < sizeof solutions / sizeof *solutions, "this many queens: 4 to 15 can be checked");
	uint64_t n_solutions = 0;
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		n_solutions = queens_place((unsigned)size, 0, 0, 0, 0);
		sum_done();
	}
	timed_end();
	check(n_solutions == solutions[size], "the number of solutions");
	return take_done();
}

/* ---- Unbalanced tree search ---- */

/* A node has seven children with a probability of 14 in 100, and else none: the tree is finite, but how big the part below a node
 * is cannot be told from the node. */
#define UTS_CHILDREN    7
#define UTS_PER_MILLION 140000
#define UTS_MIXES       50 /* work in a node: a tenth of a microsecond */

static unsigned uts_children(uint64_t *node)
{
	for (unsigned i = 0; i < UTS_MIXES; i++)
		*node = mix(*node);
	return *node % 1000000 < UTS_PER_MILLION ? UTS_CHILDREN : 0;
}

static uint64_t uts_serial(uint64_t node)
{
	uint64_t n_nodes = 1;
	unsigned n = uts_children(&node);
	for (unsigned i = 0; i < n; i++)
		n_nodes += uts_serial(node + i);
	return n_nodes;
}

static void uts_task(uint64_t node)
{
	done++;
	unsigned n = uts_children(&node);
	for (unsigned i = 0; i < n; i++) {
#pragma omp task firstprivate(node, i)
		uts_task(node + i);
	}
}

/* SIZE: children of the root, each of which has about 50 nodes below it. */
static uint64_t uts(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < size; i++) {
#pragma omp task firstprivate(i)
			uts_task(i << 32);
		}
		sum_done();
	}
	timed_end();
	uint64_t n_nodes = 0;
	for (uint64_t i = 0; i < size; i++)
		n_nodes += uts_serial(i << 32);
	check(take_done() == n_nodes, "the number of nodes");
	return n_nodes;
}

/* ---- Merge sort ---- */

#define SORT_CUT 1024 /* below it a task does not divide: some ten microseconds */

static void merge_serial(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint32_t *out)
{
	while (n_a && n_b) {
		if (*b < *a) {
			*out++ = *b++;
			n_b--;
		} else {
			*out++ = *a++;
			n_a--;
		}
	}
	memcpy(out, a, n_a * sizeof *a);
	memcpy(out + n_a, b, n_b * sizeof *b);
}

/* The longer one is halved, and the other one where its middle belongs. */
static void merge_task(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, uint32_t *out)
{
	if (n_a + n_b <= SORT_CUT) {
		merge_serial(a, n_a, b, n_b, out);
		return;
	}
	if (n_a < n_b) {
		merge_task(b, n_b, a, n_a, out);
		return;
	}
	size_t half_a = n_a / 2, half_b = 0;
	for (size_t end = n_b; half_b < end;) {
		size_t middle = half_b + (end - half_b) / 2;
		if (b[middle] < a[half_a])
			half_b = middle + 1;
		else
			end = middle;
	}
#pragma omp task
	{
		done++;
		merge_task(a, half_a, b, half_b, out);
	}
#pragma omp task
	{
		done++;
		merge_task(a + half_a, n_a - half_a, b + half_b, n_b - half_b, out + half_a + half_b);
	}
#pragma omp taskwait
}

static void insertion_sort(uint32_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t key = keys[i];
		size_t at = i;
		for (; at > 0 && key < keys[at - 1]; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static void sort_serial(uint32_t *keys, size_t n, uint32_t *room)
{
	if (n <= 16) {
		insertion_sort(keys, n);
		return;
	}
	size_t half = n / 2;
	sort_serial(keys, half, room);
	sort_serial(keys + half, n - half, room);
	memcpy(room, keys, half * sizeof *keys);
	merge_serial(room, half, keys + half, n - half, keys);
}

static void sort_task(uint32_t *keys, size_t n, uint32_t *room)
{
	if (n <= SORT_CUT) {
		sort_serial(keys, n, room);
		return;
	}
	size_t half = n / 2;
#pragma omp task
	{
		done++;
		sort_task(keys, half, room);
	}
#pragma omp task
	{
		done++;
		sort_task(keys + half, n - half, room + half);
	}
#pragma omp taskwait
	merge_task(keys, half, keys + half, n - half, room);
	memcpy(keys, room, n * sizeof *keys);
}

static uint64_t sort(uint64_t size)
{
	uint32_t *keys = zeroed(size, sizeof *keys), *room = zeroed(size, sizeof *room);
	uint64_t sum = 0, product = 1;
	for (uint64_t i = 0; i < size; i++) {
		keys[i] = (uint32_t)mix(i);
		sum += keys[i];
		product *= mix(keys[i]) | 1;
	}
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		sort_task(keys, size, room);
		sum_done();
	}
	timed_end();
	for (uint64_t i = 0; i < size; i++) {
		check(i == 0 || keys[i - 1] <= keys[i], "the order");
		sum -= keys[i];
		room[i] = keys[i];
	}
	uint64_t product_after = 1;
	for (uint64_t i = 0; i < size; i++)
		product_after *= mix(keys[i]) | 1;
	check(sum == 0 && product == product_after, "the keys are not the same as before");
	free(keys);
	free(room);
	return take_done();
}

const struct workload tree_workloads[] = {
	{"fib", fib, "a task of the recursive Fibonacci, down to one", 200000, 50000, 20000},
	{"fibcut", fibcut, "the same, serial below 20", 36, 33, 31},
	{"nqueens", nqueens, "a place of a queen in the first four rows", 13, 11, 10},
	{"uts", uts, "a node of an unbalanced tree", 4000, 1000, 500},
	{"sort", sort, "a task of a merge sort", 1000000, 250000, 100000},
	{NULL, NULL, NULL, 0, 0, 0},
};
