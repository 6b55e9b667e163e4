/* SPDX-License-Identifier: BSD-3-Clause */
/* target teams and the constructs that are combined with it: how many teams a launch asks for. The line that clang 19 notes for a launch, or for
 * target data, is that of the statement before: it has the mark. */
#include "check.h"

#define N 1000

static volatile int at;

int main(void)
{
	int a[N], sum = 0;
	at = 1; /* @loop */
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(2) map(from : a)
	for (int i = 0; i < N; i++)
		a[i] = i;
	for (int i = 0; i < N; i++)
		CHECK(a[i] == i);
	at = 1; /* @sum */
#pragma omp target teams distribute parallel for num_teams(3) map(to : a) map(tofrom : sum) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += a[i];
	CHECK(sum == N * (N - 1) / 2);
	at = 1; /* @parallel */
#pragma omp target parallel num_threads(2) map(tofrom : sum)
#pragma omp atomic
	sum++;
	CHECK(sum > N * (N - 1) / 2);
	return 0;
}
