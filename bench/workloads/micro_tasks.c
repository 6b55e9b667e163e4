/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks: one way to make a task many times around next to no work, so that what the runtime takes, and what a tool adds to it, is all
 * there is; and tasks of one and of ten microseconds.
 */
#include "bench/workloads/workload.h"

#include <string.h>

#define CELLS 64 /* variables that the dependences go round; a power of two */

static uint64_t cells[CELLS];

static uint64_t cells_total(void)
{
	uint64_t total = 0;
	for (int i = 0; i < CELLS; i++)
		total += cells[i];
	memset(cells, 0, sizeof cells);
	return total;
}

static uint64_t tasks(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < size; i++) {
#pragma omp task
			done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size, "not every task ran once");
	return size;
}

static uint64_t undeferred(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < size; i++) {
#pragma omp task if (0)
			done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size, "not every task ran once");
	return size;
}

/* One chain a cell: a cell counts the tasks that had it to themselves. */
static uint64_t depend1(uint64_t size)
{
	timed_begin();
#pragma omp parallel
#pragma omp single
	for (uint64_t i = 0; i < size; i++) {
		uint64_t *cell = &cells[i % CELLS];
#pragma omp task depend(inout : *cell) firstprivate(cell)
		++*cell;
	}
	timed_end();
	check(cells_total() == size, "two tasks had a variable at a time");
	return size;
}

/* A chain a cell again, each task reading three cells that nobody writes. */
static uint64_t depend4(uint64_t size)
{
	timed_begin();
#pragma omp parallel
#pragma omp single
	for (uint64_t i = 0; i < size; i++) {
		uint64_t *own = &cells[i % (CELLS / 2)];
		uint64_t *others = &cells[CELLS / 2 + i % (CELLS / 2 - 2)];
#pragma omp task depend(inout : *own) depend(in : others[0], others[1], others[2]) firstprivate(own, others)
		*own += 1 + others[0] + others[1] + others[2];
	}
	timed_end();
	check(cells_total() == size, "two tasks had a variable at a time");
	return size;
}

/* clang's own code for a taskloop mixes long and unsigned long, whatever the type of the loop's variable. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static uint64_t taskloop(uint64_t size)
{
	const uint64_t n_iterations = 100;
	uint64_t n_loops = (size + n_iterations - 1) / n_iterations;
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < n_loops; i++) {
#pragma omp taskloop grainsize(1)
			for (uint64_t j = 0; j < n_iterations; j++)
				done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == n_loops * n_iterations, "not every iteration ran once");
	return n_loops * n_iterations;
}
#pragma GCC diagnostic pop

const struct workload micro_task_workloads[] = {
	{"tasks", tasks, "an empty task, made by one thread, run by all", 400000, 100000, 50000},
	{"undeferred", undeferred, "a task with if(0)", 400000, 100000, 50000},
	{"depend1", depend1, "a task with one dependence", 200000, 50000, 25000},
	{"depend4", depend4, "a task with four dependences", 100000, 25000, 12000},
	{"taskloop", taskloop, "an iteration of a taskloop, one a task", 300000, 75000, 40000},
	{NULL, NULL, NULL, 0, 0, 0},
};

/* Independent tasks, each of so many steps; what comes out is the sum of all their results. */
static uint64_t grain(uint64_t size, unsigned steps)
{
	timed_begin();
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < size; i++) {
#pragma omp task firstprivate(i)
			done += spin(i, steps);
		}
		sum_done();
	}
	timed_end();
	uint64_t expected = 0;
	for (uint64_t i = 0; i < size; i++)
		expected += spin_expected(i, steps);
	check(take_done() == expected, "the sum of the tasks' results");
	return size;
}

static uint64_t grain1us(uint64_t size)
{
	return grain(size, SPIN_STEPS_US);
}

static uint64_t grain10us(uint64_t size)
{
	return grain(size, 10 * SPIN_STEPS_US);
}

const struct workload grain_workloads[] = {
	{"grain1us", grain1us, "a task of about 1 us", 100000, 25000, 12000},
	{"grain10us", grain10us, "a task of about 10 us", 10000, 4000, 1000},
	{NULL, NULL, NULL, 0, 0, 0},
};
