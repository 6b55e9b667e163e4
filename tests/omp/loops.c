/* SPDX-License-Identifier: BSD-3-Clause */
/* Worksharing loops of every schedule, ordered and nowait among them. */
#include "check.h"

#define N 100

int main(void)
{
	int hits[N] = {0}, last = -1;
	omp_set_schedule(omp_sched_dynamic, 5);
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp for schedule(static) /* @static */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(static, 3) /* @chunked */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(dynamic, 7) /* @dynamic */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(guided) /* @guided */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(auto) /* @auto */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(runtime) /* @runtime */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(dynamic) ordered /* @ordered */
		for (int i = 0; i < N; i++) {
#pragma omp ordered
			{
				CHECK(last == i - 1);
				last = i;
			}
			hits[i]++;
		}
#pragma omp for schedule(static) nowait /* @nowait */
		for (int i = 0; i < N; i++)
			hits[i]++;
#pragma omp for schedule(static) nowait
		for (int i = 0; i < 0; i++)
			hits[i] = 1000;
	}
	for (int i = 0; i < N; i++)
		CHECK(hits[i] == 8);
	return 0;
}
