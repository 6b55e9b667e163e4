/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that spend nearly all of their time in one critical section: the graph orders none of them, so that their span is short, but no
 * number of threads executes them in less than what they do in the section.
 */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 100; i++)
#pragma omp task shared(n)
	{
#pragma omp critical
		{
			keep_busy(0.001);
			n++;
		}
	}
	CHECK(n == 100);
	return 0;
}
