/* SPDX-License-Identifier: BSD-3-Clause */
/* final: by a condition at a depth of a recursion, with taskwait, taskgroup, taskloop and dependences inside. */
#include "check.h"

static int n;

static void tree(int depth)
{
#pragma omp task final(depth >= 2) firstprivate(depth) /* @left */
	{
		CHECK(omp_in_final() == (depth >= 2));
		add(&n, 1);
		if (depth < 3)
			tree(depth + 1);
	}
#pragma omp task final(depth >= 2) firstprivate(depth) /* @right */
	{
		add(&n, 1);
		if (depth < 3)
			tree(depth + 1);
	}
#pragma omp taskwait /* @wait */
}

int main(void)
{
	int x = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		tree(0);
		CHECK(n == 30);
#pragma omp task final(1) shared(x) /* @final */
		{
#pragma omp taskgroup /* @group */
			{
#pragma omp task shared(x) /* @member */
				x = 1;
			}
			CHECK(x == 1);
#pragma omp taskloop num_tasks(2) shared(x) /* @loop */
			for (int i = 0; i < 2; i++)
				x++;
			CHECK(x == 3);
#pragma omp task shared(x) depend(out : x) /* @writer */
			x = 4;
#pragma omp task shared(x) depend(in : x) /* @reader */
			CHECK(x == 4);
		}
#pragma omp task final(0) shared(x) /* @notfinal */
		CHECK(!omp_in_final());
	}
	return 0;
}
