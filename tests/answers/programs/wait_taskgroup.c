/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same with a taskgroup, which does not wait when it is around the loop.
limit: wait @group 1.3 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
		if (MENDED) {
#pragma omp task
			busy(500);
#pragma omp task
			busy(3000);
			continue;
		}
#pragma omp taskgroup /* @group */
		{
#pragma omp task
			busy(500);
#pragma omp task
			busy(3000);
		}
	}
	return 0;
}
