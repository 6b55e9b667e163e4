/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three sections, of which one takes as long as the others together and once more.
limit: imbalance @sections 1.2 1.55
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 5; r++) {
#pragma omp sections /* @sections */
		{
			busy(MENDED ? 1500 : 1000);
#pragma omp section
			busy(MENDED ? 1500 : 1000);
#pragma omp section
			busy(MENDED ? 3000 : 4000);
		}
	}
	return 0;
}
