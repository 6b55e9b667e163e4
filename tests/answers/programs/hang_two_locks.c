/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads set two locks, each the other's first, and wait for each other until they are killed.
limit: hang/deadlock -
mended: *
status: -9
 */
#include "busy.h"

int main(void)
{
	omp_lock_t a, b;
	killed_after(300);
	omp_init_lock(&a);
	omp_init_lock(&b);
#pragma omp parallel num_threads(2)
	if (MENDED || omp_get_thread_num() == 0) {
		omp_set_lock(&a);
		if (!MENDED)
			meet();
		omp_set_lock(&b); /* @first */
		omp_unset_lock(&b);
		omp_unset_lock(&a);
	} else {
		omp_set_lock(&b);
		if (!MENDED)
			meet();
		omp_set_lock(&a); /* @second */
		omp_unset_lock(&a);
		omp_unset_lock(&b);
	}
	return 0;
}
