/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that contain parallel regions that contain tasks that contain parallel regions that contain tasks. */
#include "check.h"

static int n;

int main(void)
{
	omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) /* @one */
	{
#pragma omp single nowait
		for (int i = 0; i < 2; i++)
#pragma omp task /* @task1 */
		{
			add(&n, 1);
#pragma omp parallel num_threads(2) /* @two */
			{
#pragma omp task /* @task2 */
				{add(&n, 10);
#pragma omp parallel num_threads(2) /* @three */
			{
#pragma omp task /* @task3 */
				add(&n, 100);
			}
		}
#pragma omp barrier /* @barrier */
	}
#pragma omp task /* @child1 */
	add(&n, 1000);
}
}
CHECK(n == 2842);
return 0;
}
