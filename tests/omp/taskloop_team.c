/* SPDX-License-Identifier: BSD-3-Clause */
/* Every thread of a team encounters a taskloop: one taskloop a thread. And the combined forms, which one thread encounters. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) /* @team */
	{
#pragma omp taskloop num_tasks(4) shared(n) /* @each */
		for (int i = 0; i < 8; i++)
			add(&n, 1);
#pragma omp barrier
		CHECK(n == 24);
	}
#pragma omp parallel master taskloop num_threads(3) num_tasks(4) shared(n) /* @combined */
	for (int i = 0; i < 8; i++)
		add(&n, 100);
	CHECK(n == 824);
#pragma omp parallel num_threads(3)                /* @third */
#pragma omp master taskloop num_tasks(5) shared(n) /* @master */
	for (int i = 0; i < 5; i++)
		add(&n, 1000);
	CHECK(n == 5824);
	n = 0;
#pragma omp parallel master taskloop simd num_threads(3) num_tasks(6) reduction(+ : n) /* @simd */
	for (int i = 0; i < 16; i++)
		n += i;
	CHECK(n == 120);
	return 0;
}
