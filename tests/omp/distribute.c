/* SPDX-License-Identifier: BSD-3-Clause */
/* distribute in its forms, with and without a schedule; and reductions over a league. */
#include "check.h"

#define N 24

int main(void)
{
	int hits[N] = {0}, teams[2] = {0}, sum = 0;
#pragma omp teams num_teams(2) thread_limit(2) /* @distribute */
	{
		int team = omp_get_team_num();
#pragma omp distribute
		for (int i = 0; i < N; i++) {
			hits[i]++;
			teams[team]++;
		}
	}
	CHECK(teams[0] == N / 2 && teams[1] == N / 2);
#pragma omp teams distribute num_teams(2) thread_limit(2) dist_schedule(static, 3) reduction(+ : sum) /* @chunks */
	for (int i = 0; i < N; i++) {
		hits[i]++;
		sum += i;
	}
	CHECK(sum == N * (N - 1) / 2);
#pragma omp teams distribute parallel for num_teams(2) thread_limit(2) num_threads(2) schedule(dynamic, 2) /* @parallel */
	for (int i = 0; i < N; i++) {
#pragma omp task shared(hits) firstprivate(i) /* @task */
		hits[i]++;
	}
#pragma omp teams distribute simd num_teams(2) thread_limit(2) /* @simd */
	for (int i = 0; i < N; i++)
		hits[i]++;
#pragma omp teams loop num_teams(2) thread_limit(2) /* @loop */
	for (int i = 0; i < N; i++)
		hits[i]++;
	for (int i = 0; i < N; i++)
		CHECK(hits[i] == 5);
	return 0;
}
