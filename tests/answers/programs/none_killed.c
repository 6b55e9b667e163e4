/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that works well is killed in the middle, as at the end of a job's time.
limit: none
status: -9
 */
#include "busy.h"

int main(void)
{
	killed_after(300);
	for (;;) {
#pragma omp parallel for schedule(static)
		for (int i = 0; i < 40; i++)
			busy(40);
	}
}
