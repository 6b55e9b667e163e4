/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks with more mutexinoutset variables than a runtime may have locks for: LLVM's orders them by the fifth one. */
#include "check.h"

static int inside, d[6];

static void alone(void)
{
	int others;
#pragma omp atomic capture
	others = inside++;
	CHECK(others == 0);
	for (volatile int i = 0; i < 20000; i = i + 1)
		;
#pragma omp atomic
	inside--;
}

int main(void)
{
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		for (int i = 0; i < 4; i++)
#pragma omp task depend(mutexinoutset : d[0], d[1], d[2], d[3], d[4], d[5]) /* @many */
			alone();
#pragma omp task depend(in : d[5]) /* @reader */
		CHECK(inside == 0);
	}
	return 0;
}
