/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task waits for its child, which waits for a lock that the task holds.
limit: hang @lock,@wait
mended: *
status: -9
 */
#include "busy.h"

int main(void)
{
	omp_lock_t lock;
	killed_after(300);
	omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(lock)
		{
			omp_set_lock(&lock);
#pragma omp task shared(lock)
			{
				omp_set_lock(&lock); /* @lock */
				busy(100);
				omp_unset_lock(&lock);
			}
			if (MENDED)
				omp_unset_lock(&lock);
#pragma omp taskwait /* @wait */
			if (!MENDED)
				omp_unset_lock(&lock);
		}
	}
	return 0;
}
