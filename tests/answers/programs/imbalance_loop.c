/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A static loop whose iterations become longer.
limit: imbalance @loop 1.25 1.6
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 3; r++) {
#if MENDED
#pragma omp for schedule(static, 1)
#else
#pragma omp for schedule(static) /* @loop */
#endif
		for (int i = 0; i < 40; i++)
			busy(40 * i);
	}
	return 0;
}
