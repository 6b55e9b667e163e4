/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two tasks work in turns, and wait for their turn on a condition variable.
limit: blocked @task 1.7 2.1
mended: none
 */
#include "busy.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn_of;

static void take_turns(int self)
{
	for (int i = 0; i < 25; i++) {
		pthread_mutex_lock(&mutex);
		while (!MENDED && turn_of != self)
			pthread_cond_wait(&changed, &mutex);
		pthread_mutex_unlock(&mutex);
		busy(1000);
		pthread_mutex_lock(&mutex);
		turn_of = 1 - self;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 2; i++) {
#pragma omp task /* @task */
		take_turns(i);
	}
	return 0;
}
