/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each element of a row needs the one above it, and waits for the end of the row above it.
limit: doacross @loop 1.6 2.1
mended: *
 */
#include "busy.h"

#define ROWS    6
#define COLUMNS 8

int main(void)
{
#pragma omp parallel
#pragma omp for ordered(2) schedule(static, 1) /* @loop */
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLUMNS; j++) {
#if MENDED
#pragma omp ordered depend(sink : i - 1, j)
#else
			if (j == 0) {
#pragma omp ordered depend(sink : i - 1, j + (COLUMNS - 1))
			}
#endif
			busy(1000);
#pragma omp ordered depend(source)
		}
	return 0;
}
