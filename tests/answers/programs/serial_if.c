/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A region has a condition that is never true.
limit: serial @region 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int i = 0; i < 5; i++) {
#pragma omp parallel for schedule(static) if (MENDED) /* @region */
		for (int j = 0; j < 10; j++)
			busy(800);
	}
	return 0;
}
