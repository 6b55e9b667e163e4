/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/clock.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>

#include "recorder/system/proc.h"
#endif

#include "recorder/system/sys.h"

/* How often a triple is read: the reading that takes the least time is the most exact. */
#define TRIPLE_TRIES 3

bool clock_is_counter;

#if defined(__x86_64__)
/* The kernel compares the counter with other clocks, and uses one of these if it found the counter unreliable. */
static bool kernel_distrusts_counter(void)
{
	char name[32];
	proc_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
	return strncmp(name, "hpet", 4) == 0 || strncmp(name, "acpi_pm", 7) == 0 || strncmp(name, "jiffies", 7) == 0;
}
#endif

void clock_choose(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	bool is_invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
	clock_is_counter = is_invariant && !kernel_distrusts_counter();
#elif defined(__aarch64__)
	clock_is_counter = true; /* the architecture guarantees an even rate */
#else
	clock_is_counter = false;
#endif
	sys_clock_begin();
}

NOINLINE uint64_t clock_monotonic_ticks(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC);
}

const char *clock_name(void)
{
	if (!clock_is_counter)
		return "monotonic";
#if defined(__x86_64__)
	return "tsc";
#else
	return "cntvct";
#endif
}

struct clock_triple clock_triple_now(void)
{
	struct clock_triple best = {0};
	uint64_t best_width = UINT64_MAX;
	for (int i = 0; i < TRIPLE_TRIES; i++) {
		struct clock_triple t;
		uint64_t before = clock_ticks();
		t.monotonic_ns = sys_clock_ns(CLOCK_MONOTONIC);
		t.realtime_ns = sys_clock_ns(CLOCK_REALTIME);
		uint64_t width = clock_ticks() - before;
		t.ticks = before + width / 2;
		if (width < best_width) {
			best = t;
			best_width = width;
		}
	}
	return best;
}
