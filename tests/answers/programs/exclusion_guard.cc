/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C++: a lambda in a critical section.
limit: exclusion @critical 1.4 1.9
mended: none
 */
#include "busy.h"

int main(void)
{
	auto step = [] { busy(600); };
#pragma omp parallel
	for (int i = 0; i < 50; i++) {
		if (MENDED)
			step();
		else {
#pragma omp critical /* @critical */
			step();
		}
		busy(100);
	}
	return 0;
}
