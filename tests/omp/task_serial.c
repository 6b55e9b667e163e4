/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks in teams of one: of the initial task, of regions of one thread, of a region inside of an undeferred task; parents and
 * synchronisations.
 */
#include "check.h"

static int n;

static void work(void)
{
#pragma omp task /* @first */
	{
		n += 1;
#pragma omp task /* @child */
		n += 10;
#pragma omp taskwait /* @inner */
	}
#pragma omp taskgroup /* @group */
	{
#pragma omp task /* @member */
		{
#pragma omp task /* @descendant */
			n += 100;
		}
	}
#pragma omp taskwait             /* @wait */
#pragma omp task depend(out : n) /* @out */
	n += 1000;
#pragma omp task depend(in : n) /* @in */
	CHECK(n % 10000 == 1111);
}

int main(void)
{
	work();
	CHECK(n == 1111);
	n = 10000;
#pragma omp parallel num_threads(1) /* @one */
	work();
	CHECK(n == 11111);
	n = 20000;
#pragma omp parallel if (0) /* @if0 */
	{
#pragma omp task if (0) /* @around */
		{
#pragma omp parallel num_threads(1) /* @nested */
			work();
		}
	}
	CHECK(n == 21111);
	return 0;
}
