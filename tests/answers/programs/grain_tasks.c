/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks that do next to nothing; or a thousand of them as one.
limit: grain @task 1.5 20
mended: *
kept: N=12000
 */
#include "busy.h"

#ifndef N
#define N 600000
#endif

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < (MENDED ? N / 1000 : N); i++) {
#pragma omp task /* @task */
			turn(MENDED ? 100000 : 100);
		}
	}
	return 0;
}
