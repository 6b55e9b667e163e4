/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions, loops, and what the threads of a team do with each other: one construct many times around next to no work.
 */
#include "bench/workloads/workload.h"

#include <omp.h>
#include <stdlib.h>

static uint64_t team_size(void)
{
	return (uint64_t)omp_get_max_threads();
}

static uint64_t regions_of(uint64_t size, unsigned steps)
{
	timed_begin();
	for (uint64_t i = 0; i < size; i++) {
#pragma omp parallel
		done += steps ? spin(i, steps) : 1;
	}
	timed_end();
#pragma omp parallel
	sum_done();
	uint64_t expected = 0;
	for (uint64_t i = 0; i < size; i++)
		expected += team_size() * (steps ? spin_expected(i, steps) : 1);
	check(take_done() == expected, "not every thread was in every region");
	return size;
}

static uint64_t regions(uint64_t size)
{
	return regions_of(size, 0);
}

static uint64_t regions1us(uint64_t size)
{
	return regions_of(size, SPIN_STEPS_US);
}

/* Every thread of a region opens regions of its own, of one thread each: nesting, without more threads than cores. */
static uint64_t nested(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
		for (uint64_t i = 0; i < size; i++) {
#pragma omp parallel num_threads(1)
			done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size * team_size(), "not every region ran once");
	return size;
}

static uint64_t loop_static(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
		for (uint64_t i = 0; i < size; i++) {
#pragma omp for schedule(static)
			for (int j = 0; j < 16; j++)
				done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size * 16, "not every iteration ran once");
	return size;
}

static uint64_t loop_dynamic(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
		for (uint64_t i = 0; i < size; i++) {
#pragma omp for schedule(dynamic)
			for (int j = 0; j < 16; j++)
				done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size * 16, "not every iteration ran once");
	return size;
}

static uint64_t single(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
		for (uint64_t i = 0; i < size; i++) {
#pragma omp single
			done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size, "not one thread had each single");
	return size;
}

static uint64_t masked(uint64_t size)
{
	timed_begin();
#pragma omp parallel
	{
		for (uint64_t i = 0; i < size; i++) {
#pragma omp masked
			done++;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size, "not one thread had each masked region");
	return size;
}

/* In each phase a thread reads what its neighbour wrote in the one before. */
static uint64_t barriers(uint64_t size)
{
	struct {
		_Alignas(64) uint64_t phase;
	} *seen = zeroed(team_size(), sizeof *seen);
	timed_begin();
#pragma omp parallel
	{
		int self = omp_get_thread_num(), next = (self + 1) % omp_get_num_threads();
		for (uint64_t i = 0; i < size; i++) {
			__atomic_store_n(&seen[self].phase, i, __ATOMIC_RELAXED);
#pragma omp barrier
			done += __atomic_load_n(&seen[next].phase, __ATOMIC_RELAXED) >= i;
		}
		sum_done();
	}
	timed_end();
	check(take_done() == size * team_size(), "a thread left a barrier before another came");
	free(seen);
	return size;
}

static uint64_t critical(uint64_t size)
{
	uint64_t share = size / team_size() + 1;
	uint64_t total = 0;
	timed_begin();
#pragma omp parallel
	for (uint64_t i = 0; i < share; i++) {
#pragma omp critical
		total++;
	}
	timed_end();
	check(total == share * team_size(), "two threads were inside");
	return total;
}

static uint64_t lock(uint64_t size)
{
	uint64_t share = size / team_size() + 1;
	uint64_t total = 0;
	omp_lock_t l;
	omp_init_lock(&l);
	timed_begin();
#pragma omp parallel
	for (uint64_t i = 0; i < share; i++) {
		omp_set_lock(&l);
		total++;
		omp_unset_lock(&l);
	}
	timed_end();
	omp_destroy_lock(&l);
	check(total == share * team_size(), "two threads had the lock");
	return total;
}

/* For the start and the finish of the process: its whole time counts, not the line it prints. */
static uint64_t hello(uint64_t size)
{
	(void)size;
	timed_begin();
#pragma omp parallel
	{
		done++;
		sum_done();
	}
	timed_end();
	check(take_done() == team_size(), "not every thread said hello");
	return 1;
}

const struct workload micro_team_workloads[] = {
	{"regions", regions, "an empty parallel region", 100000, 25000, 12000},
	{"regions1us", regions1us, "a parallel region of about 1 us", 50000, 10000, 5000},
	{"nested", nested, "in each thread a region of one thread", 200000, 50000, 25000},
	{"static", loop_static, "a static loop of 16 iterations", 100000, 25000, 12000},
	{"dynamic", loop_dynamic, "a dynamic loop of 16 iterations", 20000, 5000, 2500},
	{"single", single, "a single with its barrier", 300000, 75000, 25000},
	{"masked", masked, "a masked region", 800000, 200000, 100000},
	{"barriers", barriers, "a barrier", 400000, 100000, 25000},
	{"critical", critical, "once through a critical section, contended", 400000, 100000, 50000},
	{"lock", lock, "once through a lock, contended", 400000, 100000, 50000},
	{"hello", hello, "a whole process with one parallel region", 1, 1, 0},
	{NULL, NULL, NULL, 0, 0, 0},
};
