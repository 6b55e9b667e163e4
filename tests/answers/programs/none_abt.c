/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: many units, long enough, in a pool of both streams.
limit: none
 */
#include "argobots.h"

static void work(void *us)
{
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[80];
	begin_streams(NULL);
	for (int i = 0; i < 80; i++)
		units[i] = run_unit(shared, work, 700);
	join_all(units, 80);
	end_streams();
	return 0;
}
