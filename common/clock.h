/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clocks. ticks: the invariant counter of the processor where there is one, else CLOCK_MONOTONIC in ns; which one a dump used
 * is in its meta (`clock`), and how ticks convert to ns follows from the triples that it holds.
 */
#ifndef OTTER_COMMON_CLOCK_H
#define OTTER_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

struct clock_triple {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

static inline uint64_t clock_ns(clockid_t id)
{
	struct timespec t;
	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/* The processor's counter: user space, no serialisation (rdtsc 9 ns where rdtscp takes 17). */
static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return clock_ns(CLOCK_MONOTONIC);
#endif
}

#endif
