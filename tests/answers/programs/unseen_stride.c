/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops go through a matrix column by column, and take one number of each line of the cache.
limit: unseen
mended: *
 */
#include "busy.h"

#define N 2048

static float a[N][N];

int main(void)
{
	for (int r = 0; r < 4; r++) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				volatile float *x = MENDED ? &a[i][j] : &a[j][i];
				*x += 1;
			}
	}
	return 0;
}
