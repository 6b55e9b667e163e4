/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks with dependences whose children have dependences of their own, on the same variables; weak successors do not exist. */
#include "check.h"

int main(void)
{
	int x = 0, y = 0;
#pragma omp parallel
#pragma omp single nowait
	{
#pragma omp task shared(x) depend(out : x) /* @outer1 */
		{
#pragma omp task shared(x) depend(out : x) /* @a1 */
			x += 1;
#pragma omp task shared(x) depend(inout : x) /* @b1 */
			x += 10;
#pragma omp taskwait /* @wait */
		}
#pragma omp task shared(x, y) depend(inout : x) depend(out : y) /* @outer2 */
		{
			CHECK(x == 11);
#pragma omp task shared(x) depend(out : x) /* @a2 */
			x += 100;
#pragma omp task shared(x) depend(inout : x) /* @b2 */
			x += 1000;
		}
#pragma omp task shared(y) depend(in : y) /* @outer3 */
		y = 1;
	}
	CHECK(x == 1111 && y == 1);
	return 0;
}
