/* SPDX-License-Identifier: BSD-3-Clause */
/* killed N: creates N tasks, prints that, and kills itself. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < n; i++) {
#pragma omp task
		(void)0;
	}
	printf("%d tasks\n", n);
	fflush(stdout);
	return kill(getpid(), SIGKILL);
}
