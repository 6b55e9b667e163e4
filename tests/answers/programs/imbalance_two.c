/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two loops of which one is shared out badly.
limit: imbalance @loop 1.3 1.7
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 10; r++) {
#pragma omp for schedule(static)
		for (int i = 0; i < 2; i++)
			busy(500);
#pragma omp for schedule(static) /* @loop */
		for (int i = 0; i < 2; i++)
			busy(MENDED ? 2500 : i == 0 ? 4500 : 500);
	}
	return 0;
}
