/* SPDX-License-Identifier: BSD-3-Clause */
/* die N: after a parallel region with N barriers, kills itself with the signal in argv[2], or leaves with the status in argv[3]. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
#pragma omp parallel
	for (int i = 0; i < n; i++) {
#pragma omp barrier
	}
	if (argc > 2)
		kill(getpid(), atoi(argv[2]));
	return argc > 3 ? atoi(argv[3]) : 0;
}
