/* SPDX-License-Identifier: BSD-3-Clause */
/* Depend objects: made, changed, used beside other dependences, destroyed. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
	omp_depend_t on_x, on_y;
#pragma omp depobj(on_x) depend(out : x)
#pragma omp depobj(on_y) depend(out : y)
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(depobj : on_x) /* @writer */
		x = 1;
#pragma omp depobj(on_x) update(in)
		for (int i = 0; i < 2; i++)
#pragma omp task shared(x) depend(depobj : on_x) /* @reader */
			CHECK(x == 1);
#pragma omp depobj(on_x) update(inout)
#pragma omp task shared(x, y) depend(depobj : on_x, on_y) /* @two */
		{
			x = 2;
			y = 2;
		}
#pragma omp task shared(x, y) depend(depobj : on_y) depend(in : x) /* @mixed */
		{
			CHECK(x == 2);
			y += 1;
		}
#pragma omp task shared(y) depend(in : y) /* @last */
		CHECK(y == 3);
	}
#pragma omp depobj(on_x) destroy
#pragma omp depobj(on_y) destroy
	CHECK(x == 2 && y == 3);
	return 0;
}
