/* SPDX-License-Identifier: BSD-3-Clause */
/* Without OMP_CANCELLATION nothing is cancelled. */
#include "check.h"

int main(void)
{
	int n = 0;
	CHECK(!omp_get_cancellation());
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @group */
		{
			for (int i = 0; i < 5; i++)
#pragma omp task shared(n) /* @task */
			{
#pragma omp cancel taskgroup
#pragma omp cancellation point taskgroup
				add(&n, 1);
			}
		}
		CHECK(n == 5);
	}
	return 0;
}
