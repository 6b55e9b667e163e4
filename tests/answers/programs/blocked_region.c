/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region polls for something once in a while, and sleeps in between.
limit: blocked @region 1.8 2.4
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int r = 0; r < 4; r++) {
#pragma omp parallel /* @region */
		for (int i = 0; i < 20; i++) {
			busy(250);
			if (!MENDED)
				asleep(250);
		}
	}
	return 0;
}
