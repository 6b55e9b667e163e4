/* SPDX-License-Identifier: BSD-3-Clause */
/* Detached tasks that nothing but a barrier waits for; fulfilled late, by a thread that OpenMP does not know. */
#include "check.h"

#include <pthread.h>

static omp_event_handle_t first, second;
static int ready[2], done[2];

static void *fulfill(void *unused)
{
	wait_for(&ready[0]);
	usleep(500);
	add(&done[0], 1);
	omp_fulfill_event(first);
	wait_for(&ready[1]);
	usleep(500);
	add(&done[1], 1);
	omp_fulfill_event(second);
	return unused;
}

int main(void)
{
	pthread_t foreign;
	CHECK(pthread_create(&foreign, NULL, fulfill, NULL) == 0);
#pragma omp parallel /* @region */
	{
#pragma omp single nowait
		{
#pragma omp task detach(first) /* @first */
			set_flag(&ready[0]);
		}
#pragma omp barrier /* @barrier */
		CHECK(done[0] == 1);
#pragma omp single nowait
		{
#pragma omp task detach(second) /* @second */
			set_flag(&ready[1]);
		}
	}
	CHECK(done[1] == 1);
	CHECK(pthread_join(foreign, NULL) == 0);
	return 0;
}
