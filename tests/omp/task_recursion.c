/* SPDX-License-Identifier: BSD-3-Clause */
/* A thousand tasks, each the child of the one before, each waited for by its parent; and a thousand for whom nobody waits. */
#include "check.h"

#define DEPTH 1000

static int reached, fallen;

static void down(int depth)
{
	if (depth == DEPTH)
		return;
#pragma omp task firstprivate(depth) /* @down */
	{
		add(&reached, 1);
		down(depth + 1);
	}
#pragma omp taskwait /* @wait */
}

static void fall(int depth)
{
	if (depth == DEPTH)
		return;
#pragma omp task firstprivate(depth) /* @fall */
	{
		add(&fallen, 1);
		fall(depth + 1);
	}
}

int main(void)
{
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		down(0);
		CHECK(reached == DEPTH);
		fall(0);
	}
	CHECK(fallen == DEPTH);
	return 0;
}
