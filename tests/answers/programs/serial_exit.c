/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread works in a function that the end of the program calls.
limit: serial - 1.22 1.5
mended: none
 */
#include "busy.h"

#include <stdlib.h>

static void at_end(void)
{
	busy(24000);
}

int main(void)
{
	if (!MENDED)
		atexit(at_end);
#pragma omp parallel
	for (int i = 0; i < 20; i++)
		busy(MENDED ? 1800 : 1200);
	return 0;
}
