/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread leaves a function early and does not release its lock.
limit: hang @lock
mended: *
status: -9
 */
#include "busy.h"

static omp_lock_t lock;

static void change(int how_often)
{
	omp_set_lock(&lock); /* @lock */
	if (!MENDED && how_often == 3)
		return;
	busy(100);
	omp_unset_lock(&lock);
}

int main(void)
{
	killed_after(300);
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 10; i++)
		change(i);
	return 0;
}
