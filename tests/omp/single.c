/* SPDX-License-Identifier: BSD-3-Clause */
/* single: with its barrier, with copyprivate, and with nowait; each with a task. */
#include "check.h"

int main(void)
{
	int a = 0, b = 0, c = 0, d = 0, e = 0, sum = 0;
#pragma omp parallel num_threads(3) /* @region */
	{
		int x = 0;
#pragma omp single /* @single */
		{
#pragma omp task shared(a) /* @task */
			add(&a, 1);
		}
		CHECK(a == 1);
#pragma omp single copyprivate(x) /* @copy */
		{
			x = 7;
#pragma omp task shared(b) /* @copytask */
			add(&b, 1);
		} /* @copyend */
		add(&sum, x);
		CHECK(b == 1);
#pragma omp single nowait /* @nowait */
		{
#pragma omp task shared(c) /* @left */
			add(&c, 1);
		}
#pragma omp single /* @next */
		add(&d, 1);
		CHECK(c == 1 && d == 1);
#pragma omp single nowait /* @end */
		{
#pragma omp task shared(e) /* @last */
			add(&e, 1);
		}
	}
	CHECK(e == 1 && sum == 21);
	return 0;
}
