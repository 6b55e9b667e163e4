/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only place is the first processor, so all threads are bound to it.
limit: binding - 1.7 100
mended: none
faulty environment: OMP_PLACES={0} OMP_PROC_BIND=true
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 4; r++) {
#pragma omp for schedule(static)
		for (int i = 0; i < 20; i++)
			busy(600);
	}
	return 0;
}
