/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device gets all data again in each step.
limit: data @update 1.2 50
mended: *
kept: N=500
 */
#include "busy.h"

#ifndef N
#define N 1000
#endif

/* Little, and often: the first copy pays for the device's memory as well, page by page. */
static char data[2 << 20];

int main(void)
{
#pragma omp target enter data map(to : data)
	for (int r = 0; r < N; r++) {
		if (!MENDED) {
#pragma omp target update to(data) /* @update */
		}
#pragma omp parallel
		busy(30);
	}
#pragma omp target exit data map(delete : data)
	return 0;
}
