/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Of each iteration three quarters come after what the next one waits for; the source is at the end.
limit: doacross @loop 1.65 2.1
mended: *
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1) /* @loop */
	for (int i = 0; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
		busy(250);
#if MENDED
#pragma omp ordered depend(source)
#endif
		busy(750);
#if !MENDED
#pragma omp ordered depend(source)
#endif
	}
	return 0;
}
