/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two root threads take turns with regions that grow and shrink: the threads that one of them lets go the other one uses next, while
 * what they did last has not been said to have ended.
 */
#include "check.h"

#include <pthread.h>

#define TURNS 12

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void wait_for_turn(int mine)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	while (turn % 2 != mine)
		CHECK(pthread_cond_wait(&changed, &mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void next_turn(void)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	turn++;
	CHECK(pthread_cond_broadcast(&changed) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static void *other(void *arg)
{
	int n = 0;
	(void)arg;
	for (int i = 0; i < TURNS; i++) {
		wait_for_turn(1);
#pragma omp parallel num_threads(i % 2 == 0 ? 4 : 2) /* @other */
		{
#pragma omp task shared(n) /* @othertask */
			add(&n, 1);
#pragma omp barrier /* @otherbarrier */
		}
		next_turn();
	}
	CHECK(n == TURNS * 3);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int n = 0;
	CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
	for (int i = 0; i < TURNS; i++) {
		wait_for_turn(0);
#pragma omp parallel num_threads(i % 2 == 0 ? 2 : 4) /* @main */
		{
#pragma omp task shared(n) /* @maintask */
			add(&n, 1);
		}
		next_turn();
	}
	CHECK(n == TURNS * 3);
	CHECK(pthread_join(thread, NULL) == 0);
	return 0;
}
