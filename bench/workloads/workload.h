/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a workload is, and what main.c has for all of them. A workload does `size` of its work between timed_begin() and timed_end(),
 * checks what came out, serially and untimed, and returns how many ops that was: an op is what its table row says. It is called twice,
 * first with a smaller size to warm up.
 */
#ifndef OTTER_BENCH_WORKLOAD_H
#define OTTER_BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct workload {
	const char *name;
	uint64_t (*run)(uint64_t size);
	const char *op;   /* what the ops are that run() counts */
	uint64_t size;    /* by default: about a tenth of a second, or a million records */
	uint64_t quick;   /* the same, for a look */
	uint64_t warm_up; /* before it; 0: nothing */
};

/* The tables, each ended by a row without a name. */
extern const struct workload micro_task_workloads[];
extern const struct workload micro_team_workloads[];
extern const struct workload grain_workloads[];
extern const struct workload tree_workloads[];
extern const struct workload matrix_workloads[];
extern const struct workload grid_workloads[];

void timed_begin(void);
void timed_end(void);

/* Ends the process with status 1, and says why, where it does not hold. */
void check(bool holds, const char *what);

/* Memory of a size that is there, all zero, or the end. */
void *zeroed(size_t n, size_t bytes);

/* A step of a well-mixing 64-bit sequence (splitmix64): the same input everywhere. */
static inline uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* ---- Counting in many threads without sharing ---- */

extern _Thread_local uint64_t done; /* by this thread, until sum_done() */
extern uint64_t all_done;

/* Called by the whole team, at a place where nobody is still counting. */
void sum_done(void);

/* What all_done has become since the last call. */
uint64_t take_done(void);

/* ---- Work of a known duration and result ---- */

/* So many steps of a linear congruence, each waiting for the one before: four cycles a step on most processors. */
uint64_t spin(uint64_t x, unsigned steps);

/* The same by squaring: what spin() must return. */
uint64_t spin_expected(uint64_t x, unsigned steps);

#define SPIN_STEPS_US 750 /* about a microsecond at 3 GHz */

#endif
