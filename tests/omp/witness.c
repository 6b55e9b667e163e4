/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program to be killed: it does tasks for a while and keeps, in a file of its own mapped shared, counters of what must be in its
 * dump by then.
 *
 *     witness FILE MILLISECONDS [threads]     threads: ever more of them, instead of parallel regions; 0 ms: once through everything
 *
 * A pair of counters stands around an event: the first goes up before it, the second when the runtime has returned from the construct, hence
 * after the recorder had it. The dump must have as many as the second says, and no more than the first. A single counter is a second one.
 * Behind every taskwait a mark follows: omp_control_tool with the thread's slot and its next number, which is in the dump word by word. So the
 * dump holds a sequence that the program has counted itself, and between two marks of a thread stand the tasks that it has created.
 *
 * The file outlives SIGKILL as the dump's rings do. kill.py reads it: the fields are 64-bit words in the order of struct witness.
 */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifndef TEAM
#define TEAM 3 /* tests/soak.py has others */
#endif
#define SLOTS (TEAM + 1) /* the team's threads, and the root threads, of which one at a time does something */

#define TASKS       20  /* between two marks of a member of the team */
#define TASKS_ROOT  5   /* of a root thread */
#define MARK        100 /* omp_control_tool's command is this and the slot's number */
#define THREADS_MAX 100 /* alive at once */

enum phase { PHASE_BORN = 1, PHASE_RECORDING, PHASE_ENDING };

struct witness {
	volatile uint64_t phase;
	uint64_t pad[7];
	struct slot {
		volatile uint64_t creating, created; /* tasks */
		volatile uint64_t marking, marked;   /* marks */
		volatile uint64_t run;               /* tasks whose body has begun */
		volatile uint64_t completed;         /* tasks that a taskwait has waited for */
		volatile uint64_t regions;           /* parallel regions, by the primary thread after their end */
		volatile uint64_t begun;             /* implicit tasks */
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
		mine->creating++;
#pragma omp task
		mine->run++;
		mine->created++;
	}
#pragma omp taskwait
	mine->completed += (uint64_t)n;
	mine->marking++;
	omp_control_tool(MARK + (int)(mine - witness->slots), (int)mine->marked, NULL);
	mine->marked++;
}

static void region(void)
{
#pragma omp parallel num_threads(TEAM)
	{
		mine = &witness->slots[omp_get_thread_num()];
		mine->begun++;
		witness->phase = PHASE_RECORDING;
		for (int k = 0; k < 10; k++)
			tasks(TASKS);
	}
	witness->slots[0].regions++;
}

/* Of a root thread; that it has done everything is told to whoever made it, for which it goes on living. */
static void *root(void *has_done)
{
	mine = &witness->slots[TEAM];
	tasks(TASKS_ROOT);
	if (!has_done)
		return NULL;
	set_flag(has_done);
	for (;;)
		pause();
}

static void short_thread(void)
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void lasting_thread(void)
{
	static int has_done[THREADS_MAX], n_threads;
	pthread_t thread;
	if (n_threads == THREADS_MAX)
		return;
	CHECK(pthread_create(&thread, NULL, root, &has_done[n_threads]) == 0);
	wait_for(&has_done[n_threads++]);
}

int main(int argc, char **argv)
{
	CHECK(argc == 3 || (argc == 4 && strcmp(argv[3], "threads") == 0));
	int fd = open(argv[1], O_RDWR);
	CHECK(fd >= 0);
	witness = mmap(NULL, sizeof *witness, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(witness != MAP_FAILED);
	close(fd);
	witness->phase = PHASE_BORN;
	double end = now_ms() + atof(argv[2]);
	int i = 0;
	do {
		if (argc == 4)
			lasting_thread();
		else
			region();
		if (i++ % 16 == 0)
			short_thread();
	} while (now_ms() < end);
	witness->phase = PHASE_ENDING;
	return 0;
}
