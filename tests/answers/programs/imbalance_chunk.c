/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The chunks of a dynamic loop are so large that one thread gets two of three.
limit: imbalance @loop 1.2 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 3; r++) {
#pragma omp for schedule(dynamic, MENDED ? 2 : 16) /* @loop */
		for (int i = 0; i < 48; i++)
			busy(350);
	}
	return 0;
}
