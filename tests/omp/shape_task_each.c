/* SPDX-License-Identifier: BSD-3-Clause */
/* Two regions whose threads make a task each, which runs a taskloop. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) /* @first */
#pragma omp task shared(n)          /* @a */
#pragma omp taskloop grainsize(1)   /* @one */
	for (int i = 0; i < 2; i++)
		add(&n, 1);
#pragma omp parallel num_threads(3) /* @second */
#pragma omp task shared(n)          /* @b */
#pragma omp taskloop grainsize(1)   /* @two */
	for (int i = 0; i < 2; i++)
		add(&n, 1);
	CHECK(n == 12);
	return 0;
}
