/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock for each of many bins, so that two threads seldom need the same one.
limit: none
 */
#include "busy.h"

int main(void)
{
	omp_lock_t lock[64];
	for (int i = 0; i < 64; i++)
		omp_init_lock(&lock[i]);
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 400; i++) {
		unsigned bin = ((unsigned)i + 1) * 2654435761u >> 26;
		busy(110);
		omp_set_lock(&lock[bin]);
		busy(15);
		omp_unset_lock(&lock[bin]);
	}
	return 0;
}
