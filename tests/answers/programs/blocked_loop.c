/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration of a loop sleeps before it works.
limit: blocked @loop 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 4; r++) {
#pragma omp for schedule(static) /* @loop */
		for (int i = 0; i < 16; i++) {
			if (!MENDED)
				asleep(500);
			busy(800);
		}
	}
	return 0;
}
