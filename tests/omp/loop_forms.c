/* SPDX-License-Identifier: BSD-3-Clause */
/* Loops that are collapsed, linear, lastprivate, simd, of any order; ordered with simd; and the loop construct. */
#include "check.h"

#define N 10

int main(void)
{
	int hits[N * N] = {0}, last = -1, place = 0, sum = 0, private = -1;
#pragma omp parallel num_threads(2)
	{
#pragma omp for collapse(2) schedule(static) lastprivate(last) /* @collapse */
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++) {
				hits[i * N + k]++;
				last = i * N + k;
			}
		CHECK(last == N * N - 1);
#pragma omp for linear(place : 2) schedule(static, 3) /* @linear */
		for (int i = 0; i < N; i++) {
			hits[i] += place == 2 * i;
			place += 2;
		}
		CHECK(place == 2 * N);
#pragma omp for simd schedule(simd : static) lastprivate(private) reduction(+ : sum) /* @simd */
		for (int i = 0; i < N; i++) {
			private = i;
			sum += i;
		}
		CHECK(private == N - 1 && sum == N * (N - 1) / 2);
#pragma omp for order(concurrent) /* @concurrent */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp loop bind(parallel) /* @loop */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(nonmonotonic : dynamic) firstprivate(place) /* @nonmonotonic */
		for (int i = 0; i < N; i++)
			hits[i] += place == 2 * N;
#pragma omp for schedule(monotonic : dynamic, 2) /* @monotonic */
		for (int i = N - 1; i >= 0; i--)
			hits[i]++;
#pragma omp for schedule(dynamic, 4) ordered /* @simdordered */
		for (int i = 0; i < N; i++) {
#pragma omp ordered threads
			hits[i]++;
		}
	}
	for (int i = 0; i < N; i++)
		CHECK(hits[i] == 7);
	for (int i = N; i < N * N; i++)
		CHECK(hits[i] == 1);
	return 0;
}
