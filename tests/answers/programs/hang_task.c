/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of many tasks searches a ring for its end, and all threads wait for that.
limit: hang @task
mended: *
status: -9
 */
#include "busy.h"

static int follow(int first)
{
	volatile int next = first;
	while (next != 7)
		next = (next + 2) % 8;
	return next;
}

int main(void)
{
	killed_after(300);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task /* @task */
		{
			busy(200);
			(void)follow(MENDED || i != 10 ? 1 : 0);
		}
	}
	return 0;
}
