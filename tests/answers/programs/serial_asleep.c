/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread sleeps before a region, longer than all threads work.
limit: serial/blocked @region 2.5 4.5
mended: none
 */
#include "busy.h"

int main(void)
{
	for (int i = 0; i < 10; i++) {
		if (!MENDED)
			usleep(TIMES * 6000);
#pragma omp parallel /* @region */
		busy(3000);
	}
	return 0;
}
