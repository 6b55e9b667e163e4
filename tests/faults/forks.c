/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Forks without exec, from inside of a region whose threads go on making tasks:
 *
 *     forks N     each of two threads forks N children: every other one leaves at once, the rest run 100 tasks of their own first
 */
#include "tests/omp/check.h"

#include <sys/wait.h>

#define CHILD_TASKS 100

static int tasks(int count)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < count; i++)
#pragma omp task shared(n)
		add(&n, 1);
	return n;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	int n = atoi(argv[1]), n_run = 0, n_well = 0;
#pragma omp parallel num_threads(2)
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < 50; k++) {
#pragma omp task shared(n_run)
			add(&n_run, 1);
		}
		int status;
		pid_t pid = fork();
		CHECK(pid >= 0);
		if (pid == 0)
			_exit(i % 2 ? tasks(CHILD_TASKS) : CHILD_TASKS);
		CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == CHILD_TASKS);
		add(&n_well, 1);
	}
	printf("%d tasks, %d children\n", n_run, n_well);
	return 0;
}
