/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In each step more data goes to the device, where nobody needs it.
limit: data @enter 1.1 20
mended: *
 */
#include "busy.h"

#define BYTES (4 << 20)

static char data[20 * BYTES];

int main(void)
{
	for (int r = 0; r < 20; r++) {
		if (!MENDED) {
#pragma omp target enter data map(to : data [r * BYTES:BYTES]) /* @enter */
		}
#pragma omp parallel
		busy(400);
	}
	return 0;
}
