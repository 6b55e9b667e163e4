/* SPDX-License-Identifier: BSD-3-Clause */
/* A task an iteration, in loops of every schedule: each loop's barrier waits for that loop's tasks, and for those of nowait loops before it. */
#include "check.h"

#define N 12

int main(void)
{
	int a = 0, b = 0, c = 0, d = 0, e = 0;
	omp_set_schedule(omp_sched_guided, 2);
#pragma omp parallel num_threads(3) /* @region */
	{
#pragma omp for schedule(static) /* @static */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(a) /* @statictask */
			{
#pragma omp task shared(a) /* @grandchild */
				add(&a, 1);
			}
		}
		CHECK(a == N);
#pragma omp for schedule(dynamic, 1) /* @dynamic */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(b) /* @dynamictask */
			add(&b, 1);
		}
		CHECK(b == N);
#pragma omp for schedule(guided) nowait /* @nowait */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(c) /* @nowaittask */
			add(&c, 1);
		}
#pragma omp for schedule(runtime) /* @runtime */
		for (int i = 0; i < N; i++) {
#pragma omp task shared(d) /* @runtimetask */
			add(&d, 1);
		}
		CHECK(c == N && d == N);
#pragma omp for schedule(static, 1) nowait
		for (int i = 0; i < N; i++) {
#pragma omp task shared(e) /* @last */
			add(&e, 1);
		}
	}
	CHECK(e == N);
	return 0;
}
