/* SPDX-License-Identifier: BSD-3-Clause */
/* taskloop without grainsize and num_tasks: how many tasks is the implementation's choice. grainsize without strict leaves some. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop shared(n) /* @free */
		for (int i = 0; i < 1000; i++)
			add(&n, 1);
		CHECK(n == 1000);
#pragma omp taskloop grainsize(300) shared(n) /* @grain */
		for (int i = 0; i < 1000; i++)
			add(&n, 1);
		CHECK(n == 2000);
	}
	return 0;
}
