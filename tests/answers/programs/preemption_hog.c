/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another process has the processor of the second thread for half of the time.
limit: preemption @loop 1.2 100
mended: *
 */
#include "busy.h"

int main(void)
{
	if (!MENDED)
		hog(1);
#pragma omp parallel
	for (int r = 0; r < 10; r++) {
#pragma omp for schedule(static) /* @loop */
		for (int i = 0; i < 2; i++)
			busy(10000);
	}
	return 0;
}
