/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread prepares everything before the program calls OpenMP for the first time.
limit: serial @region 1.22 1.5
mended: none
 */
#include "busy.h"

int main(void)
{
	if (!MENDED)
		busy(24000);
#pragma omp parallel /* @region */
	for (int i = 0; i < 20; i++)
		busy(MENDED ? 1800 : 1200);
	return 0;
}
