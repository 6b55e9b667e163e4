/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * In each step another thread has much to do, and nobody needs what it did.
limit: wait @barrier 1.5 2
mended: none
 */
#include "busy.h"

int main(void)
{
#pragma omp parallel
	for (int i = 0; i < 40; i++) {
		busy(i % 2 == omp_get_thread_num() ? 1500 : 200);
		if (!MENDED) {
#pragma omp barrier /* @barrier */
		}
	}
	return 0;
}
