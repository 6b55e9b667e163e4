/* SPDX-License-Identifier: BSD-3-Clause */
/* mutexinoutset: siblings that exclude each other, in no order. */
#include "check.h"

static int inside[2];

static void alone(int which, int *sum)
{
	int others;
#pragma omp atomic capture
	others = inside[which]++;
	CHECK(others == 0);
	*sum += 1;
#pragma omp atomic
	inside[which]--;
}

int main(void)
{
	int a = 0, b = 0;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp task shared(a, b) depend(out : a, b) /* @begin */
		a = b = 0;
		for (int i = 0; i < 4; i++)
#pragma omp task shared(a) depend(mutexinoutset : a) /* @a */
			alone(0, &a);
#pragma omp task shared(b) depend(mutexinoutset : b) /* @b */
		alone(1, &b);
#pragma omp task shared(a, b) depend(mutexinoutset : a, b) /* @both */
		{
			alone(0, &a);
			alone(1, &b);
		}
#pragma omp task shared(a) depend(in : a) /* @reader */
		CHECK(a == 5);
#pragma omp task shared(a) depend(mutexinoutset : a) /* @later */
		alone(0, &a);
	}
	CHECK(a == 6 && b == 2);
	return 0;
}
