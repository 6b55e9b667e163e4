/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: two units are joined in each turn of the loop, of which one is long, while there would be others.
limit: wait @waves 1.3 1.9
mended: none
 */
#include "argobots.h"

static void work(void *us)
{
	busy((double)(intptr_t)us);
}

static void waves(void *argument) /* @waves */
{
	H units[40];
	for (int i = 0; i < 20; i++) {
		units[2 * i] = run_unit(shared, work, 500);
		units[2 * i + 1] = run_unit(shared, work, 3000);
		if (!MENDED)
			join_all(&units[2 * i], 2);
	}
	if (MENDED)
		join_all(units, 40);
	(void)argument;
}

int main(void)
{
	begin_streams(NULL);
	H unit = run_unit(shared, waves, 0);
	join_all(&unit, 1);
	end_streams();
	return 0;
}
