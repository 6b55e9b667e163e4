/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting for mutexes, free and taken: critical, lock, nestable lock, ordered. A test of a lock, successful or not, does not wait. */
#include "check.h"

int main(void)
{
	int n = 0, is_in = 0, is_tested = 0;
	omp_lock_t lock;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 1) {
#pragma omp critical
			{
				omp_set_lock(&lock);
				set_flag(&is_in);
				wait_for(&is_tested);
				usleep(2000); /* the other one is likely to stand before the critical construct */
				omp_unset_lock(&lock);
				n++;
			}
		} else {
			wait_for(&is_in);
			CHECK(!omp_test_lock(&lock));
			set_flag(&is_tested);
#pragma omp critical
			n++;
			omp_set_lock(&lock);
			omp_set_nest_lock(&nest);
			omp_set_nest_lock(&nest);
			n++;
			omp_unset_nest_lock(&nest);
			omp_unset_nest_lock(&nest);
			omp_unset_lock(&lock);
			CHECK(omp_test_lock(&lock));
			omp_unset_lock(&lock);
		}
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < 4; i++) {
#pragma omp ordered
			n++;
		}
	}
	omp_destroy_lock(&lock);
	omp_destroy_nest_lock(&nest);
	CHECK(n == 7);
	return 0;
}
