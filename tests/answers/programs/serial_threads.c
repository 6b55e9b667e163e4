/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region asks for one thread only.
limit: serial @region 1.4 1.8
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int i = 0; i < 5; i++) {
#pragma omp parallel
		busy(1500);
#pragma omp parallel num_threads(1 + MENDED) /* @region */
		busy(MENDED ? 4000 : 8000);
	}
	return 0;
}
