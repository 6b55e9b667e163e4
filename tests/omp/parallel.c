/* SPDX-License-Identifier: BSD-3-Clause */
/* Two parallel regions, one after the other. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(3) /* @first */
	add(&n, 1);
#pragma omp parallel num_threads(3) /* @second */
	add(&n, 10);
	CHECK(n == 33);
	return 0;
}
