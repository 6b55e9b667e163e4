/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations of different lengths in small chunks, which threads take when they are ready.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel for schedule(dynamic, 4)
	for (int i = 0; i < 400; i++)
		busy(i % 7 == 0 ? 350 : 80);
	return 0;
}
