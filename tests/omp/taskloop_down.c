/* SPDX-License-Identifier: BSD-3-Clause */
/* Taskloops that count down, by one and by more. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop num_tasks(5) shared(n) /* @down */
		for (long i = 9; i >= 0; i--)
			add(&n, (int)i);
		CHECK(n == 45);
#pragma omp taskloop num_tasks(3) shared(n) /* @steps */
		for (unsigned i = 10; i > 2; i -= 2)
			add(&n, 100);
		CHECK(n == 445);
	}
	return 0;
}
