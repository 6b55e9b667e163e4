/* SPDX-License-Identifier: BSD-3-Clause */
/* taskwait with depend: on several, on nobody, as a writer, as a member of a set, twice, inside of a task. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0, z = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskwait depend(in : x)        /* @early */
#pragma omp task shared(x) depend(out : x) /* @x */
		x = 1;
#pragma omp task shared(y) depend(out : y) /* @y */
		y = 1;
#pragma omp task shared(z) depend(out : z) /* @z */
		z = 1;
#pragma omp taskwait depend(in : x, y) /* @two */
		CHECK(x == 1 && y == 1);
#pragma omp task shared(x) depend(in : x) /* @reader */
		CHECK(x == 1);
#pragma omp taskwait depend(inout : x) /* @writer */
		x = 2;
#pragma omp task shared(x) depend(in : x) /* @after */
		{
			CHECK(x == 2);
			int own = 0;
#pragma omp task shared(own) depend(out : own) /* @child */
			own = 1;
#pragma omp taskwait depend(in : own) /* @inner */
			CHECK(own == 1);
		}
	}
	CHECK(z == 1);
	return 0;
}
