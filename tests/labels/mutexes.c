/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mutexes of each kind, whose acquisitions can be counted. A number after a kind in the comment of a line: how often it is acquired
 * there, or, after an "!", how often it is not. labels.py compares.
 */
#include <omp.h>
#include <time.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline)) static void work(void)
{
	sink = sink + 1;
}

int main(void)
{
	omp_lock_t lock, other;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_lock(&other);
	omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
	{
		work();
#pragma omp critical(slow) /* critical 2 */
		usleep(2000);
		work();
		for (int i = 0; i < 10; i++) {
			work();
#pragma omp critical /* critical 20 */
			work();
		}
		work();
		omp_set_lock(&lock); /* lock 2 */
		work();
		omp_set_lock(&other); /* lock 2 */
		work();
		omp_unset_lock(&lock);
		omp_unset_lock(&other);
		omp_set_nest_lock(&nest); /* nest_lock 2 */
		work();
		omp_set_nest_lock(&nest); /* nest_lock 2 */
		work();
		omp_unset_nest_lock(&nest);
		omp_unset_nest_lock(&nest);
		work();
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 8; i++) {
			work();
#pragma omp ordered /* ordered 8 */
			work();
		}
		work();
	}
	omp_set_lock(&lock); /* lock 1 */
	for (int i = 0; i < 3; i++)
		work();
	omp_unset_lock(&lock);
	for (int i = 0; i < 3; i++)
		if (omp_test_lock(&lock)) /* test_lock 1 ! 2 */
			work();
	omp_unset_lock(&lock);
	omp_destroy_lock(&lock);
	omp_destroy_lock(&other);
	omp_destroy_nest_lock(&nest);
	return 0;
}
