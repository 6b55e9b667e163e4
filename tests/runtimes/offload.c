/* SPDX-License-Identifier: BSD-3-Clause */
/* Target tasks on a device that is the host's own processor: the runtime loads code for it and runs it on its helper threads. */
#include "tests/omp/check.h"

int main(void)
{
	int a[4] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		for (int i = 0; i < 4; i++) {
#pragma omp target nowait map(tofrom : a [i:1])
			a[i] = omp_is_initial_device() ? 100 : i;
		}
#pragma omp taskwait
	}
	for (int i = 0; i < 4; i++)
		CHECK(a[i] == i);
	return 0;
}
