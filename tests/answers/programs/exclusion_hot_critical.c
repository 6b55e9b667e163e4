/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop counts in a critical section, which takes next to nothing, but a million times; or each thread counts for itself.
limit: exclusion @critical 8 40
mended: *
kept: N=29000
 */
#include "busy.h"

#ifndef N
#define N 1000000
#endif

int main(void)
{
	int count[64] = {0};
#pragma omp parallel
	{
		int own[64] = {0};
#pragma omp for schedule(static)
		for (int i = 0; i < N; i++) {
			unsigned bin = (unsigned)i * 2654435761u >> 26;
			if (MENDED)
				own[bin]++;
			else {
#pragma omp critical /* @critical */
				count[bin]++;
			}
		}
#pragma omp critical(all)
		for (int i = 0; i < 64; i++)
			count[i] += own[i];
	}
	return count[0] < 0;
}
