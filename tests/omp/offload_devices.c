/* SPDX-License-Identifier: BSD-3-Clause */
/* Several devices at once, each thread on one of its own; and the host in a device's place. The line that clang 19 notes for a launch, or for
 * target data, is that of the statement before: it has the mark. */
#include "check.h"

#define N 16

static volatile int at;

int main(void)
{
	int a[4][N], n_host = 0;
	CHECK(omp_get_num_devices() >= 4);
#pragma omp parallel num_threads(4) /* @region */
	{
		int i = omp_get_thread_num();
#pragma omp target device(i) map(from : a [i:1]) /* @each */
		a[i][0] = i;
	}
	for (int i = 0; i < 4; i++)
		CHECK(a[i][0] == i);
	at = 1; /* @host */
#pragma omp target device(omp_get_initial_device()) map(tofrom : n_host)
	n_host += omp_is_initial_device();
	at = 1; /* @if */
#pragma omp target if (a[0][0] > 0) map(tofrom : n_host)
	n_host += omp_is_initial_device();
	CHECK(n_host == 2);
	return 0;
}
