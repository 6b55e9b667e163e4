/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_all_memory: twice in a row, with other variables in the list, behind variables not seen before, as taskwait, and among a
 * task's children.
 */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, z = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : omp_all_memory) /* @all1 */
		x = 1;
#pragma omp task shared(x) depend(inout : omp_all_memory) /* @all2 */
		CHECK(x++ == 1);
#pragma omp task shared(x, y) depend(in : y) /* @y */
		add(&y, 0);
#pragma omp task shared(z) depend(out : z) /* @z */
		z = 1;
#pragma omp task shared(x, y) depend(inout : omp_all_memory) depend(in : x) /* @all3 */
		{
			CHECK(x == 2);
#pragma omp task shared(y) depend(out : y) /* @child */
			y = 5;
#pragma omp task shared(y) depend(inout : omp_all_memory) /* @allchild */
			CHECK(y == 5);
#pragma omp task shared(x) /* @freechild */
			add(&x, 0);
		}
#pragma omp task shared(x) depend(out : x) /* @x */
		add(&x, 1);
#pragma omp taskwait depend(inout : omp_all_memory) /* @wait */
		CHECK(x == 3);
#pragma omp task shared(z) depend(in : z) /* @last */
		CHECK(z == 1);
	}
	return 0;
}
