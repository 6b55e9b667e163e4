/* SPDX-License-Identifier: BSD-3-Clause */
/* atomic: read, write, update, capture, compare, of several types and memory orders, with hints. */
#include "check.h"

int main(void)
{
	int n = 0, last = 0, most = -1, swapped = 0;
	double d = 0;
	unsigned char byte = 0;
	long double wide = 0; /* no instruction does this; clang's code wants libatomic for it */
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 100; i++) {
		int old, seen;
#pragma omp atomic capture seq_cst
		old = n++;
#pragma omp atomic update hint(omp_sync_hint_contended)
		d += 0.5;
#ifndef __clang__
#pragma omp atomic
		wide += 1;
#endif
#pragma omp atomic relaxed
		byte++;
#pragma omp atomic write release
		last = old;
#pragma omp atomic read acquire
		seen = last;
		CHECK(seen >= 0);
#pragma omp atomic compare
		most = most < old ? old : most;
#pragma omp atomic compare capture
		{
			seen = swapped;
			if (swapped == 0) {
				swapped = 7;
			}
		}
		CHECK(seen == 0 || seen == 7);
	}
	CHECK(n == 200 && d == 100 && byte == 200 && (wide == 200 || wide == 0) && last >= 99 && most == 199 && swapped == 7);
	return 0;
}
