/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that all need the same lock for nine tenths of their time.
limit: exclusion @critical 1.4 1.9
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 60; i++) {
#pragma omp task
			{
				busy(100);
				if (MENDED)
					busy(900);
				else {
#pragma omp critical(name) /* @critical */
					busy(900);
				}
			}
		}
	}
	return 0;
}
