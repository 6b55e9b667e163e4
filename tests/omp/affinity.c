/* SPDX-License-Identifier: BSD-3-Clause */
/* proc_bind in all its kinds, in nested regions too: where threads run is no part of what they do. */
#include "check.h"

int main(void)
{
	int n = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) proc_bind(spread) /* @spread */
	{
#pragma omp parallel num_threads(2) proc_bind(close) /* @close */
		{
#pragma omp task shared(n) /* @task */
			add(&n, 1);
}
}
#pragma omp parallel num_threads(3) proc_bind(primary) /* @primary */
{
#pragma omp task shared(n) /* @behind */
	add(&n, 10);
}
CHECK(n == 34);
return 0;
}
