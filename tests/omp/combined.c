/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructs that combine a parallel region with what is in it. */
#include "check.h"

#define N 12

int main(void)
{
	int hits[N] = {0}, n = 0;
#pragma omp parallel for num_threads(3) schedule(dynamic, 1) /* @for */
	for (int i = 0; i < N; i++) {
#pragma omp task shared(hits) firstprivate(i) /* @fortask */
		hits[i]++;
	}
#pragma omp parallel for simd num_threads(3) schedule(static) /* @simd */
	for (int i = 0; i < N; i++)
		hits[i]++;
#pragma omp parallel loop num_threads(3) /* @loop */
	for (int i = 0; i < N; i++)
		hits[i]++;
#pragma omp parallel sections num_threads(2) /* @sections */
	{
#pragma omp section
		{
#pragma omp task shared(n) /* @sectiontask */
			add(&n, 1);
		}
#pragma omp section
		add(&n, 10);
	}
#pragma omp parallel masked num_threads(2) /* @masked */
	{
#pragma omp task shared(n) /* @maskedtask */
		add(&n, 100);
	}
#pragma omp parallel master num_threads(2) /* @master */
	add(&n, 1000);
#pragma omp parallel master taskloop num_tasks(4) num_threads(2) shared(hits) /* @taskloop */
	for (int i = 0; i < N; i++)
		hits[i]++;
#pragma omp parallel num_threads(2)      /* @around */
#pragma omp master taskloop num_tasks(3) /* @mastertaskloop */
	for (int i = 0; i < N; i++)
		hits[i]++;
	for (int i = 0; i < N; i++)
		CHECK(hits[i] == 5);
	CHECK(n == 1111);
	return 0;
}
