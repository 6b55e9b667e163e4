/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clocks. A tick is one of the processor's invariant counter, or, where there is none, a ns of CLOCK_MONOTONIC. A
 * dump's meta names it (`clock`), and has the triples by which ticks convert to ns. These functions run on any thread.
 */
#ifndef OTTER_COMMON_CLOCK_H
#define OTTER_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

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

/* Reads the processor's counter, in user space and without serialisation (rdtsc takes 9 ns, rdtscp 17). */
static inline uint64_t clock_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc(); /* <x86intrin.h> would be 40,000 lines in every file that has a record */
#elif defined(__aarch64__)
	uint64_t ticks;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return clock_ns(CLOCK_MONOTONIC);
#endif
}

#endif
