/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of some ms, in functions that call each other.
limit: none
 */
#include "busy.h"

static void solve(int n)
{
#pragma omp parallel
	busy(1000);
	if (n > 0)
		solve(n - 1);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 8; i++)
		busy(250);
}

int main(void)
{
	solve(11);
	return 0;
}
