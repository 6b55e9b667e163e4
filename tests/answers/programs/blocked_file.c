/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each task locks a file of all while it works.
limit: blocked @task 1.5 2
mended: none
 */
#include "busy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>

int main(void)
{
	char name[] = "/tmp/otter-XXXXXX";
	close(mkstemp(name));
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 40; i++) {
#pragma omp task /* @task */
		{
			int file = open(name, O_RDWR);
			if (!MENDED)
				flock(file, LOCK_EX);
			busy(900);
			close(file);
			busy(100);
		}
	}
	unlink(name);
	return 0;
}
