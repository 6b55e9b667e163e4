/* SPDX-License-Identifier: BSD-3-Clause */
/* A task for each iteration of a loop, and a loop without tasks. */
#include "check.h"

int main(void)
{
	int has[7] = {0}, n = 0;
#pragma omp parallel for num_threads(2) /* @for */
	for (int k = 0; k < 7; k++)
#pragma omp task shared(has) firstprivate(k) /* @task */
		has[k] = 1;
	for (int k = 0; k < 7; k++)
		n += has[k];
	CHECK(n == 7);
#pragma omp parallel for num_threads(2) reduction(+ : n) /* @plain */
	for (int k = 0; k < 20; k++)
		n += k;
	CHECK(n == 197);
	return 0;
}
