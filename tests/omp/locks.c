/* SPDX-License-Identifier: BSD-3-Clause */
/* Simple and nestable locks, with hints, tests of locks that succeed and fail, and one in a task. */
#include "check.h"

int main(void)
{
	int n = 0, of_hinted = 0, of_nest = 0, failed = 0; /* each changed under one lock */
	omp_lock_t lock, hinted;
	omp_nest_lock_t nest, hintednest;
	omp_init_lock(&lock);
	omp_init_lock_with_hint(&hinted, omp_sync_hint_contended);
	omp_init_nest_lock(&nest);
	omp_init_nest_lock_with_hint(&hintednest, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 20; i++) {
		omp_set_lock(&lock);
		n++;
		omp_unset_lock(&lock);
		omp_set_lock(&hinted);
		of_hinted++;
		omp_unset_lock(&hinted);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		of_nest++;
		CHECK(omp_test_nest_lock(&nest) == 3);
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
	}
	CHECK(omp_test_lock(&lock));
#pragma omp parallel num_threads(2)
#pragma omp critical
	failed += !omp_test_lock(&lock);
	omp_unset_lock(&lock);
	CHECK(n == 40 && of_hinted == 40 && of_nest == 40 && failed == 2);

	omp_set_nest_lock(&hintednest);
#pragma omp parallel num_threads(2) /* @region */
	{
		if (omp_get_thread_num() == 1) {
			CHECK(omp_test_nest_lock(&hintednest) == 0);
#pragma omp task shared(n, lock) /* @task */
			{
				omp_set_lock(&lock);
				add(&n, 1);
				omp_unset_lock(&lock);
			}
		}
	}
	omp_unset_nest_lock(&hintednest);
	CHECK(n == 41);
	omp_destroy_lock(&lock);
	omp_destroy_lock(&hinted);
	omp_destroy_nest_lock(&nest);
	omp_destroy_nest_lock(&hintednest);
	return 0;
}
