/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Before its first region the program waits for input, which comes slowly through a pipe.
limit: serial/blocked|blocked @region 1.7 2.2
mended: none
 */
#include "busy.h"

static void read_slowly(void)
{
	int ends[2];
	char byte;
	if (pipe(ends) != 0)
		return;
	if (fork() == 0) {
		for (int i = 0; i < 20; i++) {
			asleep(1000);
			(void)!write(ends[1], "", 1);
		}
		_exit(0);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) == 1)
		;
}

int main(void)
{
	if (!MENDED)
		read_slowly();
#pragma omp parallel /* @region */
	for (int i = 0; i < 20; i++)
		busy(1000);
	return 0;
}
