/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A mutex of POSIX threads, which is free nearly always.
limit: none
 */
#include "busy.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
	long sum = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 80; i++) {
#pragma omp task shared(sum)
		{
			busy(600);
			pthread_mutex_lock(&mutex);
			sum += i;
			pthread_mutex_unlock(&mutex);
		}
	}
	return sum < 0;
}
