/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most of the work is in a critical section.
limit: exclusion @critical 1.4 1.9
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 50; i++) {
		if (MENDED)
			busy(500);
		else {
#pragma omp critical /* @critical */
			busy(500);
		}
		busy(150);
	}
	return 0;
}
