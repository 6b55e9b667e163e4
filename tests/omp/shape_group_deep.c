/* SPDX-License-Identifier: BSD-3-Clause */
/* Taskgroups in every thread of the team, with trees of tasks that nothing else waits for. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp taskgroup /* @first */
		for (int i = 0; i < 2; i++) {
#pragma omp task shared(n) /* @a */
			{
#pragma omp task shared(n) /* @b */
				add(&n, 1);
#pragma omp task shared(n) /* @c */
				add(&n, 1);
			}
#pragma omp task shared(n) /* @d */
			add(&n, 1);
		}
#pragma omp taskgroup /* @second */
		for (int i = 0; i < 2; i++)
#pragma omp task shared(n) /* @e */
		{
#pragma omp task shared(n) /* @f */
			{
#pragma omp task shared(n) /* @g */
				add(&n, 1);
#pragma omp task shared(n) /* @h */
				add(&n, 1);
			}
#pragma omp task shared(n) /* @i */
			add(&n, 1);
		}
	}
	CHECK(n == 24);
	return 0;
}
