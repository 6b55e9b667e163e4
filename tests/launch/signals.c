/* SPDX-License-Identifier: BSD-3-Clause */
/* signals: says "ready", then "got N" for every signal that comes, ends with the status in argv[1] after SIGTERM. Uses OpenMP, so that it is recorded. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	sigset_t all;
	int threads = 0;
	sigfillset(&all);
	sigdelset(&all, SIGTSTP);
	sigprocmask(SIG_BLOCK, &all, NULL);
#pragma omp parallel reduction(+ : threads)
	threads++;
	printf("ready %d\n", threads > 0);
	fflush(stdout);
	for (int signal = 0; signal != SIGTERM;) {
		if (sigwait(&all, &signal) == 0)
			printf("got %d\n", signal);
		fflush(stdout);
	}
	return argc > 1 ? atoi(argv[1]) : 0;
}
