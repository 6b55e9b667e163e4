/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program whose SIGSEGV handler forks, as crash reporters do: the child runs tasks of its own and ends well. The signals are raised behind its
 * back, in the midst of somebody's calls of the system.
 *
 *     faulting N     N tasks; says how many children did not end well
 */
#include "tests/omp/check.h"

#include <signal.h>
#include <sys/wait.h>

#define CHILDREN_MAX 40
#define CHILD_TASKS  50

static int n_children, n_ill, is_child;

static void on_fault(int number)
{
	(void)number;
	if (is_child || __atomic_add_fetch(&n_children, 1, __ATOMIC_RELAXED) > CHILDREN_MAX)
		return;
	int status;
	pid_t pid = fork();
	if (pid == 0)
		is_child = 1; /* and goes on where the handler came in between */
	else if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		__atomic_add_fetch(&n_ill, 1, __ATOMIC_RELAXED);
}

static int childs_own(void)
{
	int n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < CHILD_TASKS; i++)
#pragma omp task shared(n)
		add(&n, 1);
	return n;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
	CHECK(argc == 2 && sigaction(SIGSEGV, &action, NULL) == 0);
	int n = 0, wanted = atoi(argv[1]);
#pragma omp parallel num_threads(1)
	for (int i = 0; i < wanted; i++) {
#pragma omp task shared(n)
		add(&n, 1);
		if (is_child)
			_exit(childs_own() != CHILD_TASKS);
	}
	printf("%d tasks, %d children ill, %s\n", n, n_ill, n_children > 0 ? "some" : "none");
	return 0;
}
