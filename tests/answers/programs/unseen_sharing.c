/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread has a counter of its own, but both are in one line of the cache.
limit: unseen
mended: *
 */
#include "busy.h"

static volatile long counters[64] __attribute__((aligned(256)));

int main(void)
{
#pragma omp parallel
	{
		volatile long *own = &counters[omp_get_thread_num() * (MENDED ? 32 : 1)];
		for (long i = 0; i < 50000000; i++)
			++*own;
	}
	return 0;
}
