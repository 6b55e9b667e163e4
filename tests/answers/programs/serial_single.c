/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread executes a single for which the others wait.
limit: serial/single @single 1.2 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 10; i++) {
		if (!MENDED) {
#pragma omp single /* @single */
			busy(3000);
		}
#pragma omp for schedule(static)
		for (int j = 0; j < 2; j++)
			busy(MENDED ? 4500 : 3000);
	}
	return 0;
}
