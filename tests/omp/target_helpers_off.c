/* SPDX-License-Identifier: BSD-3-Clause */
/* target nowait where the runtime has no threads of its own for it: the team's threads execute the target tasks. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 3; i++)
#pragma omp target nowait map(tofrom : x) depend(inout : x) /* @chain */
			x++;
#pragma omp taskwait depend(in : x) /* @wait */
		CHECK(x == 3);
#pragma omp target nowait map(tofrom : y) /* @left */
		y = 1;
	}
	CHECK(y == 1);
	return 0;
}
