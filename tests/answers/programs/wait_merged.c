/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A final task executes all that it makes at once, one after the other.
limit: wait/undeferred @inner 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task final(!MENDED)
		for (int i = 0; i < 50; i++) {
#pragma omp task /* @inner */
			busy(1000);
		}
	}
	return 0;
}
