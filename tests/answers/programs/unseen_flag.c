/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread spins until another one has set a flag, step after step.
limit: unseen
mended: *
 */
#include "busy.h"

int main(void)
{
	volatile int step = 0;
#pragma omp parallel shared(step)
	for (int i = 0; i < 50; i++) {
		if (!MENDED && i % 2 != omp_get_thread_num()) {
			while (step <= i)
				sched_yield();
			continue;
		}
		if (MENDED && i % 2 != omp_get_thread_num())
			continue;
		busy(1000);
		if (!MENDED)
			step = i + 1;
	}
	return 0;
}
