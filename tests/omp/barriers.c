/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit barriers in a team of three, with tasks between them. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3)
	{
#pragma omp barrier        /* @first */
#pragma omp task shared(n) /* @task */
		{
			add(&n, 1);
#pragma omp task shared(n) /* @grandchild */
			add(&n, 10);
		}
#pragma omp barrier /* @second */
		CHECK(n == 33);
#pragma omp barrier /* @third */
	}
	return 0;
}
