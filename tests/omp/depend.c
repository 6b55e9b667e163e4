/* SPDX-License-Identifier: BSD-3-Clause */
/* Every dependence type, one set after the other on one variable. */
#include "check.h"

int main(void)
{
	int a = 0, sum = 0, set = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(a) depend(out : a) /* @out */
		a = 1;
#pragma omp task shared(a, sum) depend(in : a) /* @in1 */
		add(&sum, a);
#pragma omp task shared(a, sum) depend(in : a) /* @in2 */
		add(&sum, a);
#pragma omp task shared(a, sum) depend(inout : a) /* @inout */
		{
			CHECK(sum == 2);
			a = 5;
		}
#pragma omp task shared(a) depend(mutexinoutset : a) /* @mutex1 */
		a *= 2;
#pragma omp task shared(a) depend(mutexinoutset : a) /* @mutex2 */
		a *= 3;
#pragma omp task shared(a) depend(in : a) /* @in3 */
		CHECK(a == 30);
#pragma omp task shared(set) depend(inoutset : a) /* @set1 */
		add(&set, 1);
#pragma omp task shared(set) depend(inoutset : a) /* @set2 */
		add(&set, 1);
#pragma omp task shared(set) depend(inoutset : a) /* @set3 */
		add(&set, 1);
#pragma omp task shared(a, set) depend(out : a) /* @last */
		{
			CHECK(set == 3);
			a = 77;
		}
	}
	CHECK(a == 77);
	return 0;
}
