/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A taskloop of many tasks, which are long enough.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop num_tasks(50)
		for (int i = 0; i < 200; i++)
			busy(250);
	}
	return 0;
}
