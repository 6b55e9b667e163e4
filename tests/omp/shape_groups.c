/* SPDX-License-Identifier: BSD-3-Clause */
/* A taskgroup inside of single, and single inside of a taskgroup. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single         /* @one */
#pragma omp taskgroup      /* @inner */
#pragma omp task shared(n) /* @first */
	add(&n, 1);
#pragma omp parallel num_threads(2)
#pragma omp taskgroup      /* @outer */
#pragma omp single         /* @two */
#pragma omp task shared(n) /* @second */
	add(&n, 10);
	CHECK(n == 11);
	return 0;
}
