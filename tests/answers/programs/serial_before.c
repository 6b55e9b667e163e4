/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread works between the regions.
limit: serial @region 1.3 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int i = 0; i < 10; i++) {
		if (!MENDED)
			busy(3000);
#pragma omp parallel /* @region */
		busy(MENDED ? 4500 : 3000);
	}
	return 0;
}
