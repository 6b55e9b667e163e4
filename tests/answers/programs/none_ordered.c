/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ordered part of each iteration is short, and comes when it is the iteration's turn anyway.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1)
	for (int i = 0; i < 60; i++) {
#pragma omp ordered
		busy(20);
		busy(800);
	}
	return 0;
}
