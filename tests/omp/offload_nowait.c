/* SPDX-License-Identifier: BSD-3-Clause */
/* Target tasks that are deferred: a chain of enter data, target, update and exit data by depend, beside one that stands alone. The line that clang 19
 * notes for a launch in a target task is that of the region's body. */
#include "check.h"

#define N 64

int main(void)
{
	int a[N], b = 0;
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp target enter data map(to : a) nowait depend(out : a) /* @enter */
#pragma omp target nowait depend(inout : a)                      /* @first */
		a[0] += 1;                                       /* @first_body */
#pragma omp target nowait depend(inout : a)                      /* @second */
		a[0] *= 5;                                       /* @second_body */
#pragma omp target update from(a) nowait depend(inout : a)       /* @update */
#pragma omp task shared(a) depend(inout : a)                     /* @task */
		CHECK(a[0] == 5);
#pragma omp target exit data map(release : a) nowait depend(inout : a) /* @exit */
#pragma omp target nowait map(tofrom : b)                              /* @alone */
		b = 3;                                                 /* @alone_body */
#pragma omp taskwait                                                   /* @wait */
		CHECK(b == 3);
#pragma omp target nowait map(tofrom : b) /* @left */
		b = 4;                    /* @left_body */
	}
	CHECK(b == 4);
	return 0;
}
