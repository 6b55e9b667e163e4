/* SPDX-License-Identifier: BSD-3-Clause */
/* single: plain, nowait, and with a task that is waited for behind it or inside. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3)
#pragma omp single /* @plain */
	n++;
#pragma omp parallel num_threads(3) /* @second */
#pragma omp single nowait           /* @nowait */
	n += 10;
#pragma omp parallel num_threads(3)
	{
#pragma omp single         /* @behind */
#pragma omp task shared(n) /* @early */
		add(&n, 100);
#pragma omp taskwait /* @after */
	}
#pragma omp parallel num_threads(3)
#pragma omp single /* @inside */
	{
#pragma omp task shared(n) /* @child */
		add(&n, 1000);
#pragma omp taskwait /* @wait */
	}
	CHECK(n == 1111);
	return 0;
}
