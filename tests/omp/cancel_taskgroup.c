/* SPDX-License-Identifier: BSD-3-Clause */
/* cancel taskgroup: tasks that have not begun are discarded. */
#include "check.h"

int main(void)
{
	int ran = 0, after = 0;
	CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @group */
		{
			for (int i = 0; i < 20; i++)
#pragma omp task shared(ran) /* @task */
			{
				add(&ran, 1);
#pragma omp cancel taskgroup
				add(&ran, 1000);
			}
		}
#pragma omp task shared(after) /* @after */
		after = 1;
	}
	CHECK(ran >= 1 && ran <= 20 && after == 1);
	return 0;
}
