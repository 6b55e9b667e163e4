/* SPDX-License-Identifier: BSD-3-Clause */
/* fork inside of a parallel region: a child that leaves at once, and one that does OpenMP of its own; the team goes on. */
#include "check.h"

#include <sys/wait.h>

static int tasks(int count)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @inchild */
#pragma omp single
	for (int i = 0; i < count; i++)
#pragma omp task shared(n) /* @childtask */
		add(&n, 1);
	return n;
}

static void fork_and_wait(int count)
{
	int status;
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(count == 0 ? 3 : tasks(count));
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == (count == 0 ? 3 : count));
}

int main(void)
{
	int n = 0;
#pragma omp parallel num_threads(2) /* @region */
	{
#pragma omp masked
		{
#pragma omp task shared(n) /* @before */
			add(&n, 1);
			fork_and_wait(0);
			fork_and_wait(7);
#pragma omp task shared(n) /* @after */
			add(&n, 1);
#pragma omp taskwait /* @wait */
		}
	}
	CHECK(n == 2);
	return 0;
}
