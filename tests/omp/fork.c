/* SPDX-License-Identifier: BSD-3-Clause */
/* fork, with OpenMP in the child, and one without. */
#include "check.h"

#include <sys/wait.h>

static int tasks(int count)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single /* @single */
	for (int i = 0; i < count; i++)
#pragma omp task shared(n) /* @task */
		add(&n, 1);
	return n;
}

int main(void)
{
	int status;
	CHECK(tasks(5) == 5);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		exit(tasks(7) == 7 ? 3 : 4);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		_exit(6);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 6);
	CHECK(tasks(11) == 11);
	return 0;
}
