/* SPDX-License-Identifier: BSD-3-Clause */
/* critical: unnamed, named, with a hint. */
#include "check.h"

int main(void)
{
	int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(3)
	for (int i = 0; i < 50; i++) {
#pragma omp critical
		a++;
#pragma omp critical(named)
		b++;
#pragma omp critical(hinted) hint(omp_sync_hint_uncontended)
		c++;
	}
	CHECK(a == 150 && b == 150 && c == 150);
	return 0;
}
