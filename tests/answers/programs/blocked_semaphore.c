/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool has one connection, and each iteration of a loop needs one: a semaphore counts them.
limit: blocked @loop,@for 1.5 2
mended: none
 */
#include "busy.h"

#include <semaphore.h>

int main(void)
{
	sem_t connections;
	sem_init(&connections, 0, MENDED ? 64 : 1);
#pragma omp parallel for schedule(dynamic, 2) /* @loop */
	for (int i = 0; i < 60; i++) {        /* @for */
		sem_wait(&connections);
		busy(700);
		sem_post(&connections);
		busy(100);
	}
	return 0;
}
