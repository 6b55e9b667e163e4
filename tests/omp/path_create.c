/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task creates a child, is busy, and creates another one. The first child takes longer than the second one, but begins before its parent has done
 * anything: the critical path goes over the parent's work to the second one. The argument is a unit of processor time in ms. The
 * parent's work is so long that no schedule makes the first child last longer.
 */
#include "check.h"

int main(int argc, char **argv)
{
	double s = (argc > 1 ? atoi(argv[1]) : 1) * 1e-3;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task firstprivate(s) /* @parent */
		{
#pragma omp task firstprivate(s) /* @early */
			keep_busy(2 * s);
			keep_busy(40 * s);
#pragma omp task firstprivate(s) /* @late */
			keep_busy(s);
#pragma omp taskwait /* @wait */
		}
	}
	return 0;
}
