/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: units sleep, and their streams with them.
limit: blocked @work 1.8 2.4
mended: none
 */
#include "argobots.h"

static void work(void *us) /* @work */
{
	if (!MENDED)
		asleep((double)(intptr_t)us);
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[60];
	begin_streams(NULL);
	for (int i = 0; i < 60; i++)
		units[i] = run_unit(shared, work, 500);
	join_all(units, 60);
	end_streams();
	return 0;
}
