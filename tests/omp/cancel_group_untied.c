/* SPDX-License-Identifier: BSD-3-Clause */
/* Cancellation of a taskgroup of untied tasks with dependences: some are between two of their parts. */
#include "check.h"

#define N 64

int main(void)
{
	int ran = 0;
	char x[N];
	CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @group */
		{
			for (int i = 0; i < N; i++) {
#pragma omp task untied shared(x, ran) firstprivate(i) depend(out : x[i]) /* @untied */
				{
					add(&ran, 1);
#pragma omp taskyield
					if (i == 0) {
#pragma omp cancel taskgroup
					}
					add(&ran, 1);
				}
#pragma omp task shared(x, ran) firstprivate(i) depend(in : x[i]) /* @reader */
				add(&ran, 1);
			}
		}
#pragma omp task shared(ran) /* @after */
		CHECK(ran >= 1 && ran < 3 * N);
	}
	return 0;
}
