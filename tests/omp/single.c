/* SPDX-License-Identifier: BSD-3-Clause */
/* single: with its barrier, with copyprivate, and with nowait. */
#include "check.h"

int main(void)
{
	int n = 0, sum = 0;
#pragma omp parallel num_threads(3)
	{
		int x = 0;
#pragma omp single /* @barrier */
		n += 1;
#pragma omp single copyprivate(x) /* @copy */
		x = 7;
		add(&sum, x);
#pragma omp single nowait /* @nowait */
		n += 10;
	}
	CHECK(n == 11 && sum == 21);
	return 0;
}
