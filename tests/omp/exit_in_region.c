/* SPDX-License-Identifier: BSD-3-Clause */
/* exit() inside a parallel region, with tasks done before; the runtime says nothing of any end. */
#include "check.h"

int main(void)
{
	int n = 0, started = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp masked
		{
			for (int i = 0; i < 10; i++)
#pragma omp task shared(n) /* @task */
				add(&n, 1);
#pragma omp taskwait /* @wait */
			CHECK(n == 10);
			wait_for(&started);
			exit(7);
		}
		set_flag(&started);
		for (;;)
			pause();
	}
}
