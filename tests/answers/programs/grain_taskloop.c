/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A taskloop makes a task of each short iteration; or of a thousand.
limit: grain @taskloop 1.5 20
mended: *
kept: N=8500
 */
#include "busy.h"

#ifndef N
#define N 100000
#endif

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop grainsize(MENDED ? 1000 : 1) /* @taskloop */
		for (int i = 0; i < N; i++)
			turn(100);
	}
	return 0;
}
