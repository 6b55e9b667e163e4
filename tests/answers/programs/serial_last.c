/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread works after the last region.
limit: serial - 1.22 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 20; i++)
		busy(MENDED ? 1800 : 1200);
	if (!MENDED)
		busy(24000);
	return 0;
}
