/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks created inside of every construct that may hold a task construct; their parent is the implicit task, whatever is around
 * them.
 */
#include "check.h"

static int n, in_masked, have_left;

static void orphan(int value)
{
#pragma omp task firstprivate(value) /* @orphan */
	add(&n, value);
}

int main(void)
{
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp single /* @single */
		{
#pragma omp task /* @insingle */
			add(&n, 1);
		}
#pragma omp sections /* @sections */
		{
#pragma omp section
			{
#pragma omp task /* @section1 */
				add(&n, 10);
			}
#pragma omp section
			{
#pragma omp task depend(out : n) /* @section2 */
				add(&n, 10);
			}
		}
#pragma omp for schedule(dynamic) /* @dynamic */
		for (int i = 0; i < 5; i++) {
#pragma omp task /* @indynamic */
			add(&n, 100);
		}
#pragma omp for ordered schedule(static, 1) /* @ordered */
		for (int i = 0; i < 4; i++) {
#pragma omp ordered
			{
#pragma omp task /* @inordered */
				add(&n, 1000);
			}
		}
		/* The first thread's last: whoever leaves a critical section may take its return address (docs/runtimes.md, Q9). */
		if (omp_get_thread_num() == 0)
			wait_for_count(&have_left, omp_get_num_threads() - 1);
#pragma omp critical(name)
		{
#pragma omp task /* @incritical */
			add(&n, 10000);
		}
		if (omp_get_thread_num() != 0)
			add(&have_left, 1);
#pragma omp masked
		{
#pragma omp task /* @inmasked */
			add(&in_masked, 1);
#pragma omp taskwait /* @wait */
			CHECK(in_masked == 1);
		}
#pragma omp single nowait
		orphan(100000);
	}
	CHECK(n == 134521);
	return 0;
}
