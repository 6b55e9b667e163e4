/* SPDX-License-Identifier: BSD-3-Clause */
/* Two transfers to a device that nothing orders, of which the small one is over before the large one begins: the critical path goes over the large one, and names
 * it. A task that follows from the small one says when; how busy the machine is makes no difference. The thread that waits for that task yields to it, since
 * libomp does not always wake a thread that sleeps in the closing barrier when a helper thread makes a task ready. The line that clang 19 notes for the first region
 * is that of the statement before. */
#include <stdatomic.h>

#include "check.h"

#define LARGE 1000000

static int large[LARGE], small[4];

int main(void)
{
	atomic_int is_over = 0;
	int x = 1; /* @first */
#pragma omp target map(tofrom : x)
	x += 1;
	CHECK(x == 2);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target enter data map(to : small) nowait depend(out : small) /* @small */
#pragma omp task depend(in : small) shared(is_over)                      /* @after */
		atomic_store(&is_over, 1);
		while (!atomic_load(&is_over)) {
#pragma omp taskyield
		}
#pragma omp target enter data map(to : large) nowait /* @large */
#pragma omp taskwait                                 /* @wait */
	}
#pragma omp target exit data map(delete : large, small) /* @exit */
	return 0;
}
