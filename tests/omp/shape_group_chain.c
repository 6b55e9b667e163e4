/* SPDX-License-Identifier: BSD-3-Clause */
/* Three taskgroups, one after the other. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(4)
#pragma omp single /* @single */
	{
#pragma omp taskgroup /* @first */
		for (int i = 0; i < 10; i++)
#pragma omp task shared(n) /* @a */
			add(&n, 1);
		CHECK(n == 10);
#pragma omp taskgroup /* @second */
		for (int i = 0; i < 10; i++)
#pragma omp task shared(n) /* @b */
			add(&n, 1);
		CHECK(n == 20);
#pragma omp taskgroup /* @third */
		for (int i = 0; i < 10; i++)
#pragma omp task shared(n) /* @c */
			add(&n, 1);
		CHECK(n == 30);
	}
	return 0;
}
