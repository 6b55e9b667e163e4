/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks that the first thread of a team runs in the region's closing barrier, each with one construct. The second thread
 * stays in its implicit task until they are done, so that it takes none. labels.py compares.
 */
#include <omp.h>
#include <sched.h>

static volatile int sink;
static int n_done;
static omp_lock_t lock;

__attribute__((noinline)) static void work(void)
{
	sink = sink + 1;
}

static void done(void)
{
	__atomic_add_fetch(&n_done, 1, __ATOMIC_RELEASE);
}

int main(void)
{
	omp_init_lock(&lock);
	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) /* parallel */
	if (omp_get_thread_num() == 0) {
		work();
#pragma omp task /* task */
		{
			work();
#pragma omp parallel num_threads(1) /* parallel */
			work();
			done();
		}
		work();
#pragma omp task /* task */
		{
			work();
#pragma omp task /* task */
			work();
			done();
		}
		work();
#pragma omp task /* task */
		{
			work();
#pragma omp taskwait /* taskwait */
			done();
		}
		work();
#pragma omp task /* task */
		{
			work();
#pragma omp critical(name) /* critical */
			work();
			done();
		}
		work();
#pragma omp task /* task */
		{
			work();
			omp_set_lock(&lock); /* lock */
			work();
			omp_unset_lock(&lock);
			done();
		}
		work();
#pragma omp task /* task */
		{
			work();
#pragma omp taskgroup /* taskgroup */
			work();
			done();
		}
		work();
	} else {
		while (__atomic_load_n(&n_done, __ATOMIC_ACQUIRE) < 6)
			sched_yield();
	}
	omp_destroy_lock(&lock);
	return 0;
}
