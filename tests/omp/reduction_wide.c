/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions of teams of any size: large teams reduce in other ways than small ones, and wait for the same tasks. */
#include "check.h"

#define N 100

int main(void)
{
	int sum = 0, members = 0, tasks = 0, least = N, behind = 0;
#pragma omp parallel for reduction(+ : sum) /* @for */
	for (int i = 0; i < N; i++)
		sum += i;
#pragma omp parallel reduction(+ : members) /* @region */
	{
		members += 1;
#pragma omp for reduction(min : least) schedule(static) /* @loop */
		for (int i = 0; i < N; i++) {
			least = i < least ? i : least;
			if (i % 10 == 0) {
#pragma omp task shared(tasks) /* @task */
				add(&tasks, 1);
			}
		}
		CHECK(tasks == N / 10 && least == 0);
#pragma omp single nowait
		{
#pragma omp task shared(behind) /* @behind */
			add(&behind, 1);
		}
	}
	CHECK(sum == 4950 && members >= 1 && behind == 1);
	return 0;
}
