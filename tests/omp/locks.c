/* SPDX-License-Identifier: BSD-3-Clause */
/* Simple and nestable locks, test_lock that succeeds and fails. */
#include "check.h"

int main(void)
{
	int n = 0, failed = 0;
	omp_lock_t lock, hinted;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_lock_with_hint(&hinted, omp_sync_hint_contended);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	for (int i = 0; i < 20; i++) {
		omp_set_lock(&lock);
		n++;
		omp_unset_lock(&lock);
		omp_set_lock(&hinted);
		n += 100;
		omp_unset_lock(&hinted);
		omp_set_nest_lock(&nest);
		omp_set_nest_lock(&nest);
		n += 10000;
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
	CHECK(n == 404040 && failed == 2);
	omp_destroy_lock(&lock);
	omp_destroy_lock(&hinted);
	omp_destroy_nest_lock(&nest);
	return 0;
}
