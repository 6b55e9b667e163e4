/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that create tasks while a barrier waits: all of a tree belongs to the barrier that its root belongs to. */
#include "check.h"

static int in_tree, in_loop, at_end;

static void tree(int depth)
{
	add(&in_tree, 1);
	if (depth == 0)
		return;
	for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(depth) /* @node */
		tree(depth - 1);
}

int main(void)
{
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp single nowait
		{
#pragma omp task /* @root */
			tree(4);
		}
#pragma omp barrier /* @first */
		CHECK(in_tree == 31);
#pragma omp task /* @each */
		{
#pragma omp task /* @child */
			add(&in_loop, 1);
		}
#pragma omp for schedule(static) /* @loop */
		for (int i = 0; i < 3; i++)
#pragma omp task /* @inloop */
			add(&in_loop, 10);
		CHECK(in_loop == 33);
#pragma omp single nowait
#pragma omp task /* @last */
		{
			usleep(200);
#pragma omp task /* @afterwards */
			{
				usleep(200);
#pragma omp task /* @farther */
				add(&at_end, 1);
			}
		}
	}
	CHECK(at_end == 1);
	return 0;
}
