/* SPDX-License-Identifier: BSD-3-Clause */
/* An untied task that has gone on on another thread than the one that began it: with taskwaits, children and a taskgroup there. */
#include "check.h"

int main(void)
{
	int has_moved = 0, n = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task untied shared(has_moved, n) /* @untied */
		{
			int begun_on = omp_get_thread_num();
#pragma omp task shared(n) /* @early */
			add(&n, 1);
			while (!has_moved) {
				/* Whoever takes it leaves the other one to go on. */
#pragma omp task priority(1) /* @busy */
				usleep(200);
				has_moved = omp_get_thread_num() != begun_on;
			}
#pragma omp task shared(n) /* @late */
			add(&n, 10);
#pragma omp taskwait /* @wait */
			CHECK(n == 11);
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(n) /* @member */
				add(&n, 100);
			}
			CHECK(n == 111);
#pragma omp task shared(n) /* @left */
			add(&n, 1000);
		}
	}
	CHECK(has_moved && n == 1111);
	return 0;
}
