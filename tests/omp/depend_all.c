/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_all_memory conflicts with every dependence. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, z = 0, w = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @x */
		x = 1;
#pragma omp task shared(y) depend(out : y) /* @y */
		y = 1;
#pragma omp task shared(z) /* @free */
		add(&z, 1);
#pragma omp task shared(x, y) depend(out : omp_all_memory) /* @all */
		CHECK(x == 1 && y == 1);
#pragma omp task shared(x) depend(in : x) /* @x2 */
		x = 2;
#pragma omp task shared(y) depend(inout : y) /* @y2 */
		y = 2;
#pragma omp task shared(x) depend(inout : x) /* @x3 */
		x = 3;
#pragma omp task shared(w) depend(out : w) /* @new */
		w = 1;
	}
	CHECK(x == 3 && y == 2 && z == 1 && w == 1);
	return 0;
}
