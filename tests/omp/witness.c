/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program to be killed: it does tasks for a while and keeps, in a file of its own mapped shared, counters of what must be in its
 * dump by then. A counter goes up only after the runtime has returned from the construct, hence after the recorder had its event; so
 * it is at most as large as what was recorded, and smaller by one event a thread at most.
 *
 *     witness FILE MILLISECONDS
 *
 * The file outlives SIGKILL as the dump's rings do. kill.py reads it: the fields are 64-bit words in the order of struct witness.
 */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#define TEAM  3
#define SLOTS (TEAM + 1) /* the team's threads, and the short-lived root threads that follow each other */

enum phase { PHASE_BORN = 1, PHASE_RECORDING, PHASE_ENDING };

struct witness {
	volatile uint64_t phase;
	uint64_t pad[7];
	struct slot {
		volatile uint64_t created;   /* tasks */
		volatile uint64_t run;       /* tasks whose body has begun */
		volatile uint64_t completed; /* tasks that a taskwait has waited for */
		volatile uint64_t waits;     /* taskwaits that have ended */
		volatile uint64_t regions;   /* parallel regions, by the primary thread after their end */
		volatile uint64_t begun;     /* implicit tasks */
		uint64_t pad[2];
	} slots[SLOTS];
};

static struct witness *witness;
static _Thread_local struct slot *mine;

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void tasks(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task
		mine->run++;
		mine->created++;
	}
#pragma omp taskwait
	mine->completed += (uint64_t)n;
	mine->waits++;
}

static void *root(void *arg)
{
	(void)arg;
	mine = &witness->slots[TEAM];
	tasks(5);
	return NULL;
}

int main(int argc, char **argv)
{
	CHECK(argc == 3);
	int fd = open(argv[1], O_RDWR);
	CHECK(fd >= 0);
	witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(witness != MAP_FAILED);
	close(fd);
	witness->phase = PHASE_BORN;
	double end = now_ms() + atof(argv[2]);
	for (int i = 0; now_ms() < end; i++) {
#pragma omp parallel num_threads(TEAM)
		{
			mine = &witness->slots[omp_get_thread_num()];
			mine->begun++;
			witness->phase = PHASE_RECORDING;
			for (int k = 0; k < 10; k++)
				tasks(20);
		}
		witness->slots[0].regions++;
		if (i % 16 == 0) {
			pthread_t thread;
			CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
			CHECK(pthread_join(thread, NULL) == 0);
		}
	}
	witness->phase = PHASE_ENDING;
	return 0;
}
