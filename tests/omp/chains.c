/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of dependent tasks beside a taskloop, as a pipeline would have. */
#include "check.h"

#define STAGES 5
#define ITEMS  40

int main(void)
{
	int stage[STAGES] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single /* @single */
	{
		for (int i = 0; i < ITEMS; i++) {
#pragma omp task shared(stage) depend(inout : stage[0]) /* @source */
			stage[0]++;
			for (int s = 1; s < STAGES; s++)
#pragma omp task shared(stage) firstprivate(s) depend(in : stage[s - 1]) depend(inout : stage[s]) /* @stage */
				stage[s] += stage[s - 1] > stage[s];
		}
#pragma omp taskloop num_tasks(8) shared(sum) /* @loop */
		for (int i = 0; i < 80; i++)
			add(&sum, 1);
		CHECK(sum == 80);
	}
	for (int s = 0; s < STAGES; s++)
		CHECK(stage[s] == ITEMS);
	return 0;
}
