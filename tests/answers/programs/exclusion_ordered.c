/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Most of each iteration is in its ordered part.
limit: exclusion @ordered 1.4 2
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 60; i++) {
		busy(200);
		if (MENDED) {
			busy(700);
			continue;
		}
#pragma omp ordered /* @ordered */
		busy(700);
	}
	return 0;
}
