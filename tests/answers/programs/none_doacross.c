/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each iteration waits for the one before it only for a short while at its beginning.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel for ordered(1) schedule(static, 1)
	for (int i = 0; i < 60; i++) {
#pragma omp ordered depend(sink : i - 1)
		busy(20);
#pragma omp ordered depend(source)
		busy(800);
	}
	return 0;
}
