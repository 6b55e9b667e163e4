/* SPDX-License-Identifier: BSD-3-Clause */
/* Two transfers to a device that may go on at once, of very different size: the critical path goes over the large one, and names it. The line that clang 19 notes
 * for the first region is that of the statement before. */
#include "check.h"

/* Its transfer takes longer than a busy machine keeps the small one waiting. */
#define LARGE 32000000

static int large[LARGE], small[4];

int main(void)
{
	int x = 1; /* @first */
#pragma omp target map(tofrom : x)
	x += 1;
	CHECK(x == 2);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp target enter data map(to : large) nowait /* @large */
#pragma omp target enter data map(to : small) nowait /* @small */
#pragma omp taskwait                                 /* @wait */
	}
#pragma omp target exit data map(delete : large, small) /* @exit */
	return 0;
}
