/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A taskloop of three tasks on two threads; or of thirty.
limit: imbalance|wait @taskloop 1.25 1.6
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int r = 0; r < 3; r++) {
#pragma omp taskloop num_tasks(MENDED ? 30 : 3) /* @taskloop */
		for (int i = 0; i < 30; i++)
			busy(500);
	}
	return 0;
}
