/* SPDX-License-Identifier: BSD-3-Clause */
/* critical: unnamed, named, with hints, one inside of another, and in tasks. */
#include "check.h"

static int is_made;

int main(void)
{
	int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
#pragma omp parallel num_threads(3) /* @region */
	{
		/* The first thread's before any critical section: whoever leaves one may take that thread's return address (docs/runtimes.md, Q9). */
		if (omp_get_thread_num() == 0) {
#pragma omp task shared(d) /* @first */
			{
#pragma omp critical(named)
				d++;
			}
			set_flag(&is_made);
		}
		wait_for(&is_made);
		for (int i = 0; i < 50; i++) {
#pragma omp critical
			a++;
#pragma omp critical(named)
			{
				b++;
#pragma omp critical(inner)
				e++;
			}
#pragma omp critical(hinted) hint(omp_sync_hint_uncontended)
			c++;
#pragma omp critical(speculative) hint(omp_sync_hint_contended | omp_sync_hint_nonspeculative)
			f++;
		}
		if (omp_get_thread_num() != 0) {
#pragma omp task shared(d) /* @task */
			{
#pragma omp critical(named)
				d++;
			}
		}
	}
	CHECK(a == 150 && b == 150 && c == 150 && f == 150 && d == 3 && e == 150);
	return 0;
}
