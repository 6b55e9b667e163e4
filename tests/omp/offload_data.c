/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that stays on a device: target data, enter and exit data, update. What is present is not copied again. The line that clang 19 notes for a launch, or for
 * target data, is that of the statement before: it has the mark. */
#include "check.h"

#define N 256

static volatile int at;

int main(void)
{
	int a[N], b[N];
	for (int i = 0; i < N; i++)
		a[i] = b[i] = i;
	at = 1; /* @data */
#pragma omp target data map(tofrom : a)
	{
		at = 1; /* @inside */
#pragma omp target
		a[1] += 10;
		CHECK(a[1] == 1);
#pragma omp target update from(a [1:1]) /* @from */
		CHECK(a[1] == 11);
		a[2] = 22;
#pragma omp target update to(a [0:N / 2]) /* @to */
		at = 1;                   /* @always */
#pragma omp target map(always, from : a)
		a[3] = a[2] + 1;
		CHECK(a[3] == 23);
		at = 1; /* @data_end */
	}
	CHECK(a[1] == 11 && a[2] == 22);
#pragma omp target enter data map(to : b) /* @enter */
	at = 1;                           /* @present */
#pragma omp target map(tofrom : b)
	b[0] = 5;
	CHECK(b[0] == 0);
#pragma omp target exit data map(from : b) /* @exit */
	CHECK(b[0] == 5);
#pragma omp target enter data map(alloc : b) /* @enter2 */
#pragma omp target exit data map(delete : b) /* @exit2 */
	return 0;
}
