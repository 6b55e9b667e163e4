/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three phases of tasks, with a barrier between them. A signal stops one thread on its way out of the first barrier until another has
 * created its tasks of the second phase: these belong behind the barrier that somebody still is in.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>

static int go;

static void stop(int signal)
{
	(void)signal;
	for (int i = 0; i < 50 && !__atomic_load_n(&go, __ATOMIC_ACQUIRE); i++)
		usleep(100); /* not for ever: the signal may have come before the barrier */
}

int main(void)
{
	int one = 0, two = 0, three = 0, ready = 0;
	pthread_t slow = pthread_self();
	CHECK(signal(SIGUSR1, stop) != SIG_ERR);
#pragma omp parallel num_threads(3) /* @region */
	{
		int me = omp_get_thread_num();
#pragma omp task shared(one) /* @one */
		{
			add(&one, 1);
#pragma omp task shared(one) /* @onechild */
			add(&one, 10);
		}
		if (me == 1) {
			slow = pthread_self();
			set_flag(&ready);
		} else if (me == 0) {
			wait_for(&ready);
			usleep(500);
			CHECK(pthread_kill(slow, SIGUSR1) == 0);
		}
#pragma omp barrier          /* @first */
#pragma omp task shared(two) /* @two */
		{
			add(&two, 10);
#pragma omp task shared(two) /* @twochild */
			add(&two, 100);
		}
		if (me == 0)
			__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
		CHECK(one == 33);
#pragma omp barrier /* @second */
		CHECK(two == 330);
#pragma omp task shared(three) /* @three */
		add(&three, 100);
	}
	CHECK(three == 300);
	return 0;
}
