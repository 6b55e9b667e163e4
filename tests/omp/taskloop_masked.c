/* SPDX-License-Identifier: BSD-3-Clause */
/* masked taskloop and its combined forms. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel masked taskloop num_threads(3) num_tasks(4) shared(n) /* @combined */
	for (int i = 0; i < 8; i++)
		add(&n, 100);
	CHECK(n == 800);
#pragma omp parallel num_threads(3)
	{
#pragma omp masked taskloop filter(1) num_tasks(5) shared(n) /* @filtered */
		for (int i = 0; i < 5; i++)
			add(&n, 1000);
	}
	CHECK(n == 5800);
	n = 0;
#pragma omp parallel masked taskloop simd num_threads(3) num_tasks(6) reduction(+ : n) /* @simd */
	for (int i = 0; i < 16; i++)
		n += i;
	CHECK(n == 120);
	return 0;
}
