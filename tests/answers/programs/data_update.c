/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device gets all data again in each step.
limit: data @update 1.2 50
mended: *
 */
#include "busy.h"

static char data[32 << 20];

int main(void)
{
#pragma omp target enter data map(to : data)
	for (int r = 0; r < 20; r++) {
		if (!MENDED) {
#pragma omp target update to(data) /* @update */
		}
#pragma omp parallel
		busy(300);
	}
#pragma omp target exit data map(delete : data)
	return 0;
}
