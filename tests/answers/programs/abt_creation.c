/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: what a unit needs is prepared before it is created, by the only one that creates units; or in the unit.
limit: creation @work 1.3 2
mended: none
 */
#include "argobots.h"

static void work(void *us) /* @work */
{
	busy((double)(intptr_t)us);
}

int main(void)
{
	H units[60];
	begin_streams(NULL);
	for (int i = 0; i < 60; i++) {
		if (!MENDED)
			busy(800);
		units[i] = run_unit(shared, work, MENDED ? 1100 : 300);
	}
	join_all(units, 60);
	end_streams();
	return 0;
}
