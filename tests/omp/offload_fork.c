/* SPDX-License-Identifier: BSD-3-Clause */
/* A device on both sides of a fork: the child's runtime goes on with its parent's devices, and announces none. The line that clang 19 notes for a launch is
 * that of the statement before: it has the mark. */
#include "check.h"

#include <sys/wait.h>

#define N 16

static volatile int at;

static void add_one(int *a)
{
	at = 1; /* @add */
#pragma omp target map(tofrom : a [0:N])
	a[0]++;
}

int main(void)
{
	int a[N] = {0}, status = 0;
	add_one(a);
	CHECK(a[0] == 1);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		add_one(a);
		exit(a[0] == 2 ? 3 : 4);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK(a[0] == 1);
	return 0;
}
