/* SPDX-License-Identifier: BSD-3-Clause */
/* if with a true and a false condition, known and unknown to the compiler; deferred children of undeferred tasks. */
#include "check.h"

int main(int argc, char **argv)
{
	int n = 0, late = 0;
	(void)argv;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task if (1) shared(n) /* @always */
		add(&n, 1);
#pragma omp task if (argc > 0) shared(n) /* @yes */
		add(&n, 10);
#pragma omp task if (argc < 0) shared(n, late) /* @no */
		{
			add(&n, 100);
#pragma omp task shared(late) /* @deferred */
			set_flag(&late);
#pragma omp task if (task : 0) shared(n) /* @within */
			add(&n, 1000);
#pragma omp taskwait /* @wait */
			CHECK(late == 1);
#pragma omp task shared(n) /* @left */
			add(&n, 10000);
		}
		CHECK(n >= 1100);
	}
	CHECK(n == 11111);
	return 0;
}
