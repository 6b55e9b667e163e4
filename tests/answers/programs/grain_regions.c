/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region for each of many small steps; or one for all.
limit: grain/regions @region 2 30
mended: *
kept: N=1800
 */
#include "busy.h"

#ifndef N
#define N 40000
#endif

static void step(void)
{
	turn(500);
}

int main(void)
{
	if (MENDED) {
#pragma omp parallel
		for (int r = 0; r < N; r++)
			step();
		return 0;
	}
	for (int r = 0; r < N; r++) {
#pragma omp parallel /* @region */
		step();
	}
	return 0;
}
