/* SPDX-License-Identifier: BSD-3-Clause */
/* An event that another task fulfils before the detached task begins: that one completes as any other. */
#include "check.h"

int main(void)
{
	int x = 0, is_made = 0, n = 0;
	omp_event_handle_t event;
#pragma omp parallel num_threads(2) /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(x, event, is_made) depend(out : x) /* @fulfiller */
		{
			wait_for(&is_made);
			omp_fulfill_event(event);
			x = 1;
		}
#pragma omp task shared(x, n) depend(in : x) detach(event) /* @detached */
		{
			CHECK(x == 1);
#pragma omp task shared(n) /* @child */
			add(&n, 1);
		}
		set_flag(&is_made);
#pragma omp taskwait       /* @wait */
#pragma omp task shared(n) /* @after */
		add(&n, 10);
	}
	CHECK(n == 11);
	return 0;
}
