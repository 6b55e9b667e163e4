/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: the primary unit works for long before it creates others; or these do that work.
limit: serial @work 1.3 1.9
mended: none
 */
#include "argobots.h"

static void work(void *us) /* @work */
{
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[80];
	int n = MENDED ? 80 : 40;
	begin_streams(NULL);
	busy(MENDED ? 0 : 40000);
	for (int i = 0; i < n; i++)
		units[i] = run_unit(shared, work, 1000);
	join_all(units, n);
	end_streams();
	return 0;
}
