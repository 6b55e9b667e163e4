/* SPDX-License-Identifier: BSD-3-Clause */
/* target on a device, one map type each: what is allocated there, copied to it and back, and freed. The host waits for each. The line that clang 19 notes for a launch, or for
 * target data, is that of the statement before: it has the mark. */
#include "check.h"

#define N 100

static volatile int at;

int main(void)
{
	int to[N], from[N], both[N], none[N], plain = 7;
	for (int i = 0; i < N; i++) {
		to[i] = i;
		both[i] = -1;
	}
	at = 1; /* @first */
#pragma omp target map(to : to) map(from : from)
	for (int i = 0; i < N; i++)
		from[i] = to[i] + 1;
	for (int i = 0; i < N; i++)
		CHECK(from[i] == i + 1);
	at = 1; /* @part */
#pragma omp target map(tofrom : both [0:N / 2])
	both[0] = omp_is_initial_device() ? -2 : 5;
	CHECK(both[0] == 5);
	at = 1; /* @alloc */
#pragma omp target map(alloc : none) firstprivate(plain)
	none[0] = plain;
	at = 1; /* @bare */
#pragma omp target
	(void)omp_get_num_teams();
	return 0;
}
