/* SPDX-License-Identifier: BSD-3-Clause */
/* Fewer threads than asked for: the thread limit, dynamic adjustment, and the limit of active levels. */
#include "check.h"

int main(void)
{
	int n = 0, got = 0;
	CHECK(omp_get_thread_limit() == 4);
#pragma omp parallel num_threads(8) /* @limited */
	{
		CHECK(omp_get_num_threads() == 4);
#pragma omp task shared(n) /* @task */
		add(&n, 1);
	}
	CHECK(n == 4);

	/* As many as the machine has to spare; the region behind it makes up for what is missing to five. */
	omp_set_dynamic(1);
#pragma omp parallel num_threads(4) /* @dynamic */
	{
#pragma omp single
		got = omp_get_num_threads();
	}
	omp_set_dynamic(0);
	CHECK(got >= 1 && got <= 4);
#pragma omp parallel num_threads(5 - got) /* @rest */
	add(&n, 10);
	CHECK(n == 4 + 10 * (5 - got));

	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) /* @active */
	{
#pragma omp parallel num_threads(2) /* @inactive */
		{
			CHECK(omp_get_level() == 2 && omp_get_active_level() == 1 && omp_get_num_threads() == 1);
#pragma omp task shared(n) /* @alone */
			add(&n, 100);
		}
	}
	CHECK(n == 204 + 10 * (5 - got));
	return 0;
}
