/* SPDX-License-Identifier: BSD-3-Clause */
/* Clauses that change what a task sees or when it runs, not what waits for it: data, mergeable, priority, affinity, allocate. */
#include "check.h"

int main(void)
{
	int shared_one = 0, first = 7, list[10] = {0};
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		int private_one = -1;
		for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i, first) private(private_one) shared(shared_one, list) default(none) /* @data */
		{
			private_one = i + first;
			first = 0;
			list[i] = private_one;
			add(&shared_one, 1);
		}
		CHECK(private_one == -1 && first == 7);
#pragma omp task mergeable shared(shared_one) /* @mergeable */
		add(&shared_one, 100);
#pragma omp task mergeable if (0) shared(shared_one) /* @merged */
		add(&shared_one, 100);
		for (int i = 0; i < 3; i++)
#pragma omp task priority(i) shared(shared_one) /* @priority */
			add(&shared_one, 1000);
#pragma omp task affinity(list [0:10]) shared(shared_one, list) /* @affinity */
		add(&shared_one, 10000);
#pragma omp task affinity(iterator(i = 0 : 3) : list[i]) shared(shared_one, list) /* @affinities */
		add(&shared_one, 10000);
#pragma omp taskwait /* @wait */
		CHECK(shared_one == 23210);
		for (int i = 0; i < 10; i++)
			CHECK(list[i] == i + 7);
#pragma omp task allocate(first) firstprivate(first) /* @allocate */
		CHECK(first == 7);
	}
	return 0;
}
