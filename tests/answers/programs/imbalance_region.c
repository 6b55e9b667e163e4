/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No construct shares out the work but the region.
limit: imbalance @region 1.3 1.6
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int r = 0; r < 5; r++) {
#pragma omp parallel /* @region */
		busy(MENDED ? 4000 : 2000 + 4000 * omp_get_thread_num());
	}
	return 0;
}
