/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration waits for the one before it, and needs nothing of it.
limit: doacross @loop 1.7 2.1
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#if MENDED
#pragma omp for schedule(static, 1)
#else
#pragma omp for ordered(1) schedule(static, 1) /* @loop */
#endif
	for (int i = 0; i < 50; i++) {
#if !MENDED
#pragma omp ordered depend(sink : i - 1)
#endif
		busy(1000);
#if !MENDED
#pragma omp ordered depend(source)
#endif
	}
	return 0;
}
