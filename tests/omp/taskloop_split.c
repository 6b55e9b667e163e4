/* SPDX-License-Identifier: BSD-3-Clause */
/* taskloops of so many tasks that LLVM's runtime splits them: after each other, collapsed, nogroup, reduced, nested, in tasks. */
#include "check.h"

/* Has as many children as its iteration says: the order of iterations shows. */
static void grow(int *n, int i)
{
	for (int child = 0; child < i % 3; child++) {
#pragma omp task firstprivate(n) /* @child */
		add(n, 1);
	}
}

int main(void)
{
	int hits[400] = {0}, n = 0, sum = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop grainsize(1) shared(hits) /* @first */
		for (int i = 0; i < 100; i++)
			add(&hits[i], 1);
#pragma omp taskloop grainsize(1) collapse(2) shared(hits) /* @second */
		for (int i = 0; i < 10; i++)
			for (int j = 0; j < 20; j++)
				add(&hits[i * 20 + j], 1);
#pragma omp taskloop grainsize(1) nogroup shared(hits) /* @nogroup */
		for (int i = 0; i < 90; i++)
			add(&hits[300 + i], 1);
#pragma omp task shared(hits) /* @beside */
		add(&hits[399], 1);
#pragma omp taskwait /* @wait */
		for (int i = 0; i < 390; i++)
			CHECK(hits[i] == (i < 100 ? 2 : i < 200 || i >= 300 ? 1 : 0));
#pragma omp taskloop grainsize(1) reduction(+ : sum) /* @reduced */
		for (int i = 0; i < 70; i++)
			sum += i;
		CHECK(sum == 2415);
#pragma omp task shared(n) /* @task */
		{
#pragma omp taskloop grainsize(1) shared(n) /* @intask */
			for (int i = 0; i < 60; i++)
				grow(&n, i);
#pragma omp taskloop num_tasks(5) shared(n) /* @few */
			for (int i = 0; i < 5; i++)
				add(&n, 1);
			CHECK(n == 65);
		}
#pragma omp taskwait                        /* @last */
#pragma omp taskloop grainsize(1) shared(n) /* @outer */
		for (int i = 0; i < 45; i++) {
#pragma omp taskloop grainsize(1) shared(n) /* @inner */
			for (int j = 0; j < 45; j++)
				add(&n, 1);
		}
		CHECK(n == 65 + 45 * 45);
	}
	return 0;
}
