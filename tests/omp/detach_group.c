/* SPDX-License-Identifier: BSD-3-Clause */
/* Detached tasks in a taskgroup, as a taskwait's child, and as a predecessor: what waits for them waits for their events. */
#include "check.h"

int main(void)
{
	int n = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		omp_event_handle_t member, child, first;
#pragma omp taskgroup /* @group */
		{
#pragma omp task shared(n) detach(member) /* @member */
			{
				add(&n, 1);
#pragma omp task shared(n) firstprivate(member) /* @descendant */
				{
					add(&n, 10);
					omp_fulfill_event(member);
				}
			}
		}
		CHECK(n == 11);
#pragma omp task shared(n) detach(child) /* @child */
		{
			add(&n, 100);
#pragma omp task shared(n) firstprivate(child) /* @grandchild */
			omp_fulfill_event(child);
		}
#pragma omp taskwait /* @wait */
		CHECK(n == 111);
#pragma omp task shared(n) depend(out : n) detach(first) /* @first */
		add(&n, 1000);
#pragma omp task shared(n) depend(in : n) /* @second */
		CHECK(n == 11111);
#pragma omp task shared(n) /* @fulfiller */
		{
			add(&n, 10000);
			omp_fulfill_event(first);
		}
	}
	CHECK(n == 11111);
	return 0;
}
