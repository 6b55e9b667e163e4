/* SPDX-License-Identifier: BSD-3-Clause */
/* taskloop: its implicit taskgroup, num_tasks, grainsize, nogroup, and one inside of a task. */
#include "check.h"

int main(void)
{
	int hits[100] = {0}, n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop grainsize(strict : 10) shared(hits) /* @grain */
		for (int i = 0; i < 100; i++)
			add(&hits[i], 1);
#pragma omp taskloop num_tasks(4) shared(hits) /* @num */
		for (int i = 0; i < 100; i++)
			add(&hits[i], 1);
#pragma omp taskloop num_tasks(5) nogroup shared(hits) /* @nogroup */
		for (int i = 0; i < 100; i++)
			add(&hits[i], 1);
#pragma omp taskwait /* @wait */
		for (int i = 0; i < 100; i++)
			CHECK(hits[i] == 3);
#pragma omp task shared(n) /* @task */
		{
#pragma omp taskloop num_tasks(3) shared(n) /* @intask */
			for (int i = 0; i < 9; i++)
				add(&n, 1);
			CHECK(n == 9);
		}
#pragma omp taskwait /* @last */
	}
	return 0;
}
