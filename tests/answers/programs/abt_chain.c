/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Argobots: each unit waits for an eventual that the one before it sets at its end, though it needs nothing of it.
limit: chain @work 1.5 2
mended: none
 */
#include "argobots.h"

#define N 40
static H done[N + 1];

static void work(void *number) /* @work */
{
	intptr_t i = (intptr_t)number;
	if (!MENDED && i > 0)
		ABT_eventual_wait(done[i - 1], NULL);
	busy(1000);
	ABT_eventual_set(done[i], NULL, 0);
}

int main(void)
{
	H units[N];
	begin_streams(NULL);
	for (int i = 0; i < N; i++)
		ABT_eventual_create(0, &done[i]);
	for (int i = 0; i < N; i++)
		units[i] = run_unit(shared, work, i);
	join_all(units, N);
	end_streams();
	return 0;
}
