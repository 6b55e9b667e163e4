/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Eight threads meet in many barriers on processors for two.
limit: preemption/crowded|binding - 1.2 20
mended: *
threads: 8
 */
#include "busy.h"

int main(void)
{
	int n = MENDED ? 2 : omp_get_max_threads();
#pragma omp parallel num_threads(n)
	for (int r = 0; r < 200; r++) {
#pragma omp for schedule(static)
		for (int i = 0; i < 16; i++)
			busy(10);
	}
	return 0;
}
