/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that adds up, step after step.
limit: none
 */
#include "busy.h"

int main(void)
{
	double sum = 0;
	for (int r = 0; r < 5; r++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < 40; i++) {
			busy(250);
			sum += i;
		}
	}
	return sum < 0;
}
