/* SPDX-License-Identifier: BSD-3-Clause */
/* taskwait at every level of a tree, some twice, some of tasks without children. */
#include "check.h"

static int leaves;

int main(void)
{
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 3; i++)
#pragma omp task /* @branch */
		{
			int done = 0;
			for (int j = 0; j < 2; j++)
#pragma omp task shared(done) /* @twig */
			{
#pragma omp task /* @leaf */
				add(&leaves, 1);
#pragma omp taskwait /* @twigwait */
#pragma omp task     /* @falling */
				add(&leaves, 10);
				add(&done, 1);
			}
#pragma omp taskwait /* @branchwait */
			CHECK(done == 2);
#pragma omp taskwait /* @again */
#pragma omp task     /* @lonely */
			{
#pragma omp taskwait /* @childless */
			}
		}
#pragma omp taskwait /* @rootwait */
	}
	CHECK(leaves == 66);
	return 0;
}
