/* SPDX-License-Identifier: BSD-3-Clause */
/* threadprivate data over several regions, copyin into a region, and copyprivate out of a single, with tasks around them. */
#include "check.h"

static int mine = 5;
#pragma omp threadprivate(mine)

static int kept;
#pragma omp threadprivate(kept)

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) copyin(mine) /* @copyin */
	{
		CHECK(mine == 5);
		mine = kept = omp_get_thread_num() + 10;
#pragma omp task shared(n) /* @task */
		add(&n, 1);
	}
#pragma omp parallel num_threads(3) /* @kept */
	{
		CHECK(mine == omp_get_thread_num() + 10 && kept == mine);
#pragma omp single copyprivate(mine)
		mine = 77;
		CHECK(mine == 77 && kept == omp_get_thread_num() + 10);
#pragma omp task shared(n) /* @behind */
		add(&n, 10);
	}
	mine = 6;
#pragma omp parallel num_threads(2) copyin(mine, kept) /* @again */
	{
		CHECK(mine == 6 && kept == 10);
#pragma omp task shared(n) /* @last */
		add(&n, 100);
	}
	CHECK(n == 233);
	return 0;
}
