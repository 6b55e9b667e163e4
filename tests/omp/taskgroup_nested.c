/* SPDX-License-Identifier: BSD-3-Clause */
/* Taskgroups: empty, three deep in one task, in a task that is a member of another one, and tasks made by descendants. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskgroup /* @empty */
		{}
#pragma omp taskgroup /* @one */
		{
#pragma omp task shared(n) /* @m1 */
			add(&n, 1);
#pragma omp taskgroup /* @two */
			{
#pragma omp task shared(n) /* @m2 */
				add(&n, 10);
#pragma omp taskgroup /* @three */
				{
#pragma omp task shared(n) /* @m3 */
					add(&n, 100);
				}
#pragma omp task shared(n) /* @m2late */
				add(&n, 1000);
			}
#pragma omp task shared(n) /* @m1late */
			{
#pragma omp taskgroup /* @own */
				{
#pragma omp task shared(n) /* @ownmember */
					{
#pragma omp task shared(n) /* @owndescendant */
						add(&n, 10000);
			}
		}
#pragma omp task shared(n) /* @afterown */
		{
#pragma omp task shared(n) /* @deepest */
			add(&n, 100000);
		}
	}
}
CHECK(n == 111111);
#pragma omp task shared(n) /* @outside */
add(&n, 1000000);
}
CHECK(n == 1111111);
return 0;
}
