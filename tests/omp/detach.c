/* SPDX-License-Identifier: BSD-3-Clause */
/* Detached tasks: fulfilled early, late by another task, and late by a thread that OpenMP does not know. */
#include "check.h"

#include <pthread.h>

static omp_event_handle_t late;

static void *fulfill(void *arg)
{
	usleep(2000);
	omp_fulfill_event(*(omp_event_handle_t *)arg);
	return NULL;
}

int main(void)
{
	int n = 0;
	pthread_t foreign;
#pragma omp parallel /* @region */
#pragma omp single nowait
	{
		omp_event_handle_t event;
#pragma omp task shared(n) detach(event) /* @early */
		{
			add(&n, 1);
			omp_fulfill_event(event);
		}
#pragma omp taskwait                    /* @wait1 */
#pragma omp task shared(n) detach(late) /* @bytask */
		add(&n, 10);
#pragma omp task shared(n) /* @fulfiller */
		{
			add(&n, 100);
			omp_fulfill_event(late);
		}
#pragma omp taskwait /* @wait2 */
		CHECK(n == 111);
		omp_event_handle_t third;
#pragma omp task shared(n) detach(third) /* @foreign */
		add(&n, 1000);
		CHECK(pthread_create(&foreign, NULL, fulfill, &third) == 0);
#pragma omp taskwait /* @wait3 */
	}
	pthread_join(foreign, NULL);
	CHECK(n == 1111);
	return 0;
}
