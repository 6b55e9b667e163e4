/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A taskwait in the loop waits for a long task while there would be others.
limit: wait @wait 1.3 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 20; i++) {
#pragma omp task
			busy(500);
#pragma omp task
			busy(3000);
			if (!MENDED) {
#pragma omp taskwait /* @wait */
			}
		}
	}
	return 0;
}
