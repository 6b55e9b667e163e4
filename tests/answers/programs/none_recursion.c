/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recursion with tasks near its root alone.
limit: none
 */
#include "busy.h"

static void divide(int depth)
{
	if (depth == 0) {
		busy(800);
		return;
	}
#pragma omp task
	divide(depth - 1);
	divide(depth - 1);
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	divide(6);
	return 0;
}
