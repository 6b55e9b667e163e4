/* SPDX-License-Identifier: BSD-3-Clause */
/* scope: all threads execute it; a barrier at its end unless nowait, and reductions. */
#include "check.h"

int main(void)
{
	int n = 0, m = 0, sum = 0;
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp scope reduction(+ : sum) /* @scope */
		{
			sum += 1;
#pragma omp task shared(n) /* @task */
			add(&n, 1);
		}
		CHECK(n == 3 && sum == 3);
#pragma omp scope nowait /* @nowait */
		{
#pragma omp task shared(m) /* @left */
			add(&m, 1);
		}
	}
	CHECK(m == 3);
	return 0;
}
