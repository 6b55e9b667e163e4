/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop that is shared out evenly.
limit: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int r = 0; r < 25; r++) {
#pragma omp for schedule(static)
		for (int i = 0; i < 2; i++)
			busy(4000);
	}
	return 0;
}
