/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each task needs a byte from a pipe, into which another program writes one now and then.
limit: blocked @task 1.5 2.2
mended: none
 */
#include "busy.h"

int main(void)
{
	int ends[2];
	char byte;
	if (pipe(ends) != 0)
		return 1;
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			asleep(500);
			(void)!write(ends[1], "", 1);
		}
	}
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 50; i++) {
#pragma omp task private(byte) /* @task */
		{
			if (!MENDED)
				(void)!read(ends[0], &byte, 1);
			busy(550);
		}
	}
	return 0;
}
