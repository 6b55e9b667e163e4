/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread waits in a barrier that the other never reaches, as it waits for a condition that does not come.
limit: hang @barrier,@region
mended: *
status: -9
 */
#include "busy.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready = MENDED;

int main(void)
{
	killed_after(300);
#pragma omp parallel num_threads(2) /* @region */
	{
		if (omp_get_thread_num() == 1) {
			pthread_mutex_lock(&mutex);
			while (!is_ready)
				pthread_cond_wait(&changed, &mutex);
			pthread_mutex_unlock(&mutex);
		}
#pragma omp barrier /* @barrier */
		busy(100);
	}
	return 0;
}
