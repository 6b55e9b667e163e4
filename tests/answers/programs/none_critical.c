/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A critical section after each long iteration, which takes some ns.
limit: none
 */
#include "busy.h"

int main(void)
{
	long sum = 0;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 200; i++) {
		busy(250);
#pragma omp critical
		sum += i;
	}
	return sum < 0;
}
