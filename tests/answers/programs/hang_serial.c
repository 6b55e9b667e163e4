/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * After the regions one thread iterates until something converges, which never does.
limit: hang -
mended: *
status: -9
 */
#include "busy.h"

int main(void)
{
	volatile double x = 0;
	killed_after(300);
#pragma omp parallel
	busy(1000);
	for (long i = 0; x < 1 && !(MENDED && i > 1000000); i++)
		x = x / 2 + 0.25;
	return 0;
}
