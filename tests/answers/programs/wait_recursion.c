/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nested tasks: each one waits for its first child before it makes the second one.
limit: wait @wait 1.6 2.1
mended: none
 */
#include "busy.h"

static void divide(int depth)
{
	if (depth == 0) {
		busy(1000);
		return;
	}
#pragma omp task
	divide(depth - 1);
	if (!MENDED) {
#pragma omp taskwait /* @wait */
	}
#pragma omp task
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
