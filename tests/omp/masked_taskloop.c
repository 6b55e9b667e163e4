/* SPDX-License-Identifier: BSD-3-Clause */
/* masked taskloop, in a team and combined with it. */
#include "check.h"

#define N 12

int main(void)
{
	int hits[N] = {0};
#pragma omp parallel masked taskloop num_tasks(4) num_threads(2) /* @combined */
	for (int i = 0; i < N; i++)
		hits[i]++;
#pragma omp parallel num_threads(3)                /* @around */
#pragma omp masked taskloop num_tasks(3) filter(1) /* @taskloop */
	for (int i = 0; i < N; i++)
		hits[i]++;
	for (int i = 0; i < N; i++)
		CHECK(hits[i] == 2);
	return 0;
}
