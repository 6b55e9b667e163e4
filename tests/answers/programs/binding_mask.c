/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each thread binds itself, and all of them to the same processor.
limit: binding - 1.7 100
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	{
		stay_on(MENDED ? omp_get_thread_num() : 0);
		for (int r = 0; r < 4; r++) {
#pragma omp for schedule(static)
			for (int i = 0; i < 20; i++)
				busy(600);
		}
	}
	return 0;
}
