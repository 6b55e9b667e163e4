/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that does not end in any reasonable time, killed in the middle.
limit: hang @loop
mended: *
status: -9
 */
#include "busy.h"

int main(void)
{
	killed_after(300);
#pragma omp parallel for schedule(static) /* @loop */
	for (long i = 0; i < (MENDED ? 20 : 200000000000L); i++)
		busy(10);
	return 0;
}
