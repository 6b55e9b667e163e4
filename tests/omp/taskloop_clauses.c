/* SPDX-License-Identifier: BSD-3-Clause */
/* taskloop: if(0), final, untied, mergeable, priority, firstprivate and lastprivate; what follows it comes after it. */
#include "check.h"

int main(void)
{
	int n = 0, last = 0, base = 5;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
#pragma omp taskloop num_tasks(3) if (0) shared(n) /* @if0 */
		for (int i = 0; i < 6; i++)
			n++;
		CHECK(n == 6);
#pragma omp taskloop num_tasks(2) final(1) shared(n) /* @final */
		for (int i = 0; i < 2; i++) {
			CHECK(omp_in_final());
#pragma omp task shared(n) /* @infinal */
			add(&n, 10);
		}
		CHECK(n == 26);
#pragma omp taskloop num_tasks(4) untied mergeable priority(1) firstprivate(base) lastprivate(last) shared(n) /* @many */
		for (int i = 0; i < 8; i++) {
			add(&n, base * 20);
			last = i;
		}
		CHECK(n == 826 && last == 7);
#pragma omp taskloop num_tasks(2) shared(n) /* @withchild */
		for (int i = 0; i < 2; i++) {
#pragma omp task shared(n) /* @child */
			add(&n, 1000);
		}
		CHECK(n == 2826);
	}
	return 0;
}
