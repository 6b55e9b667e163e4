/* SPDX-License-Identifier: BSD-3-Clause */
/* What threads are doing in every kind of barrier, before, between and behind regions: the text fixes the order on both threads. */
#include "check.h"

int main(void)
{
	int a = 0, b = 0, c = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp barrier
#pragma omp for schedule(static)
		for (int i = 0; i < 4; i++)
			add(&a, 1);
#pragma omp barrier
	}
	usleep(1000); /* serial, and the other thread has nothing to do */
#pragma omp parallel num_threads(2)
	{
#pragma omp sections
		{
#pragma omp section
			add(&b, 1);
#pragma omp section
			add(&b, 1);
		}
#pragma omp for schedule(dynamic) nowait
		for (int i = 0; i < 4; i++)
			add(&a, 1);
	}
#pragma omp parallel num_threads(1)
	{
#pragma omp barrier
		c++;
	}
	CHECK(a == 8 && b == 2 && c == 1);
	return 0;
}
