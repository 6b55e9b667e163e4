/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same mutex in each iteration of a loop.
limit: blocked @loop 1.4 1.9
mended: none
 */
#include "busy.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
#pragma omp parallel for schedule(static) /* @loop */
	for (int i = 0; i < 80; i++) {
		busy(150);
		if (!MENDED)
			pthread_mutex_lock(&mutex);
		busy(450);
		if (!MENDED)
			pthread_mutex_unlock(&mutex);
	}
	return 0;
}
