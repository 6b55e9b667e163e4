/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks hold a mutex of POSIX threads, of which the runtime knows nothing, for most of their time.
limit: blocked @task 1.6 2.1
mended: none
 */
#include "busy.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 60; i++) {
#pragma omp task /* @task */
		{
			busy(100);
			if (!MENDED)
				pthread_mutex_lock(&mutex);
			busy(700);
			if (!MENDED)
				pthread_mutex_unlock(&mutex);
		}
	}
	return 0;
}
