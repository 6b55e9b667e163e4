/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: the longest unit is made last; or the same work as short ones.
limit: imbalance @last 1.3 1.9
mended: none
 */
#include "argobots.h"

static void work(void *us)
{
	busy((double)(intptr_t)us);
}

static void last(void *us) /* @last */
{
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[80];
	int n = 0;
	begin_streams(NULL);
	for (int i = 0; i < 20; i++)
		units[n++] = run_unit(shared, work, 500);
	for (int i = 0; i < (MENDED ? 60 : 1); i++)
		units[n++] = run_unit(shared, last, MENDED ? 500 : 30000);
	join_all(units, n);
	end_streams();
	return 0;
}
