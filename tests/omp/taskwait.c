/* SPDX-License-Identifier: BSD-3-Clause */
/* taskwait waits for children, not for their children. */
#include "check.h"

int main(void)
{
	int n = 0, free_grandchild = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(n, free_grandchild) /* @child */
		{
			add(&n, 1);
#pragma omp task shared(free_grandchild) /* @grandchild */
			{
				usleep(2000);
				set_flag(&free_grandchild);
			}
		}
#pragma omp task shared(n) /* @deep */
		{
#pragma omp task shared(n) /* @deeper */
			add(&n, 10);
#pragma omp taskwait /* @inner */
#pragma omp atomic
			n *= 2;
		}
#pragma omp taskwait /* @wait */
		CHECK(n == 21 || n == 22);
#pragma omp taskwait       /* @empty */
#pragma omp task shared(n) /* @after */
		add(&n, 100);
	}
	CHECK(free_grandchild == 1 && n > 100);
	return 0;
}
