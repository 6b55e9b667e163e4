/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The second taskwait has nothing to wait for, and so have half of the taskgroups.
lint: waits_for_none @wait 10 10
lint: waits_for_none @group 5 10
 */
int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task
		(void)i;
#pragma omp taskwait
#ifndef MENDED
#pragma omp taskwait /* @wait */
#endif
#pragma omp taskgroup /* @group */
		{
#ifdef MENDED
#pragma omp task
			(void)i;
#else
			if (i % 2 == 0) {
#pragma omp task
				(void)i;
			}
#endif
		}
	}
	return 0;
}
