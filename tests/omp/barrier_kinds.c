/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers of constructs with reductions, and of copyin, with tasks: the construct's end waits for them, wherever the implementation has barriers. */
#include "check.h"

#define N 6

static int mine = 3;
#pragma omp threadprivate(mine)

int main(void)
{
	int one = 0, two = 0, three = 0, sum = 0, product = 1, other = 1;
#pragma omp parallel num_threads(2) copyin(mine) reduction(+ : sum) /* @region */
	{
		sum += mine;
#pragma omp for reduction(* : product) schedule(static) /* @loop */
		for (int i = 1; i <= N; i++) {
			product *= i;
#pragma omp task shared(one) /* @one */
			add(&one, 1);
		}
		CHECK(one == N && product == 720);
#pragma omp sections reduction(* : other) /* @sections */
		{
#pragma omp section
			{
				other *= 2;
#pragma omp task shared(two) /* @two */
				add(&two, 1);
			}
		}
		CHECK(two == 1 && other == 2);
#pragma omp single nowait
		{
#pragma omp task shared(three) /* @three */
			add(&three, 1);
		}
	}
	CHECK(three == 1 && sum == 6);
	return 0;
}
