/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks without hints, in tasks and in both threads of a team, and one that a thread tests in vain until it gets it. */
#include "check.h"

int main(void)
{
	int n = 0, held = 0;
	omp_lock_t lock, door;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_lock(&door);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2) /* @region */
	{
		if (omp_get_thread_num() == 0) {
			omp_set_lock(&door);
			set_flag(&held);
		}
#pragma omp barrier /* @barrier */
		if (omp_get_thread_num() == 1) {
			CHECK(omp_test_lock(&door) == 0);
			set_flag(&n);
			omp_set_lock(&door);
		} else {
			wait_for(&n);
		}
		omp_unset_lock(&door);
#pragma omp task shared(n, lock, nest) /* @task */
		{
			omp_set_nest_lock(&nest);
			omp_set_lock(&lock);
			omp_set_nest_lock(&nest);
			n += 10;
			omp_unset_nest_lock(&nest);
			omp_unset_lock(&lock);
			omp_unset_nest_lock(&nest);
		}
	}
	CHECK(held == 1 && n == 21);
	omp_destroy_lock(&lock);
	omp_destroy_lock(&door);
	omp_destroy_nest_lock(&nest);
	return 0;
}
