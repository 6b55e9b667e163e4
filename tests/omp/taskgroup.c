/* SPDX-License-Identifier: BSD-3-Clause */
/* taskgroup waits for members and all their descendants; nested groups. */
#include "check.h"

int main(void)
{
	int n = 0, outside = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(outside) /* @outside */
		{
			usleep(1000);
			set_flag(&outside);
		}
#pragma omp taskgroup /* @outer */
		{
#pragma omp task shared(n) /* @member */
			{
				add(&n, 1);
#pragma omp task shared(n) /* @descendant */
				add(&n, 10);
			}
#pragma omp taskgroup /* @inner */
			{
#pragma omp task shared(n) /* @innermember */
				add(&n, 100);
#pragma omp task shared(n) /* @waiting */
				{
#pragma omp task shared(n) /* @waited */
					add(&n, 1000);
#pragma omp taskwait /* @wait */
				}
			}
			int now;
#pragma omp atomic read
			now = n;
			CHECK(now >= 1100);
		}
		CHECK(n == 1111);
	}
	CHECK(outside == 1);
	return 0;
}
