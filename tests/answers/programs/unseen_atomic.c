/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An atomic addition, which is one instruction, in a loop that does little else.
limit: unseen
mended: *
 */
#include "busy.h"

int main(void)
{
	long sum = 0;
#pragma omp parallel
	{
		long own = 0;
#pragma omp for schedule(static)
		for (int i = 0; i < 8000000; i++) {
			if (MENDED)
				own += i;
			else {
#pragma omp atomic
				sum += i;
			}
		}
#pragma omp atomic
		sum += own;
	}
	return sum < 0;
}
