/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams that grow and shrink from region to region: the threads left out keep their implicit task until somebody uses them again. */
/* The widest is the first: where a later one is wider than all before, LLVM's runtime replaces a table that others may be reading (docs/runtimes.md). */
#include "check.h"

int main(void)
{
	int n = 0, sum = 0, sizes[] = {5, 4, 2, 5, 1, 3, 4};
	for (int k = 0; k < 7; k++) {
#pragma omp parallel num_threads(sizes[k]) /* @region */
		{
			CHECK(omp_get_num_threads() == sizes[k]);
#pragma omp task shared(n) /* @before */
			add(&n, 1);
#pragma omp barrier        /* @barrier */
#pragma omp task shared(n) /* @behind */
			add(&n, 100);
		}
		sum += sizes[k];
		CHECK(n == 101 * sum);
	}
	return 0;
}
