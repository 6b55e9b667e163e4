/* SPDX-License-Identifier: BSD-3-Clause */
/* Dependences together with untied, final, priority, detach, mergeable. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		omp_event_handle_t event;
#pragma omp task untied shared(x) depend(out : x) /* @untied */
		{
#pragma omp task shared(x) /* @child */
			add(&x, 1);
#pragma omp taskyield
#pragma omp taskwait /* @wait */
			x += 2;
		}
#pragma omp task final(1) shared(x, y) depend(inout : x) depend(out : y) /* @final */
		{
			CHECK(x == 3);
#pragma omp task shared(x) depend(inout : x) /* @infinal */
			x += 1;
			y = 1;
		}
#pragma omp task detach(event) shared(x) depend(inout : x) priority(1) /* @detached */
		{
			CHECK(x == 4);
			x = 5;
			omp_fulfill_event(event);
		}
#pragma omp task mergeable untied shared(x, y) depend(in : x, y) /* @last */
		CHECK(x == 5 && y == 1);
	}
	return 0;
}
