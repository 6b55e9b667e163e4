/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Taskgroups, barriers and nested tasks, none of which waits for long.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 3; r++) {
#pragma omp taskgroup
		for (int i = 0; i < 10; i++) {
#pragma omp task
			{
#pragma omp task
				busy(500);
				busy(500);
			}
		}
#pragma omp barrier
#pragma omp for schedule(static)
		for (int i = 0; i < 20; i++)
			busy(700);
	}
	return 0;
}
