/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each of two threads opens a region with as many threads as there are processors, and more.
lint: oversubscribed @inner 1+ 1
 */
#include <omp.h>
#include <unistd.h>

int main(void)
{
#ifdef MENDED
	omp_set_max_active_levels(1);
#else
	omp_set_max_active_levels(2);
#endif
	int n = omp_get_num_procs() + 2;
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(n) /* @inner */
		usleep(1000);
	}
	return 0;
}
