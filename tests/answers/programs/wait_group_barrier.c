/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A barrier within a taskgroup waits for a long task that a task made, and each thread has other work then.
limit: wait|imbalance @barrier,@task 1.15 1.6
mended: *
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 8; i++) {
#pragma omp taskgroup
		{
			if (omp_get_thread_num() == 0) {
#pragma omp task
				{
#pragma omp task /* @task */
					busy(2000);
				}
			}
			if (!MENDED) {
#pragma omp barrier /* @barrier */
			}
#pragma omp task
			busy(1000);
		}
	}
	return 0;
}
