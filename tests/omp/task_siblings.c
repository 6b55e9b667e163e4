/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten thousand siblings, more than the runtime's queue of a thread holds; their parent waits for half of them. */
#include "check.h"

#define N 5000

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < N; i++)
#pragma omp task shared(n) /* @one */
			add(&n, 1);
#pragma omp taskwait /* @wait */
		CHECK(n == N);
		for (int i = 0; i < N; i++)
#pragma omp task shared(n) /* @two */
			add(&n, 1);
	}
	CHECK(n == 2 * N);
	return 0;
}
