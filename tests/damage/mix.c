/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program whose dumps are damaged. It uses a little of everything: regions, also nested ones, tasks with dependences, detached and untied
 * tasks, taskgroups, waits, loops, sections, a lock and a critical section. With an argument it ends by SIGKILL at the end of its third
 * round. tests/damage.py --all records it; damage/dumps.tar.xz has dumps of it.
 */
#include "tests/omp/check.h"

#include <signal.h>

static omp_lock_t lock;
static int sum;

static void dependences(void)
{
	int data[4] = {0};
	for (int i = 0; i < 12; i++) {
#pragma omp task depend(inout : data[i % 4]) depend(in : data[(i + 1) % 4], data[(i + 2) % 4]) shared(data)
		data[i % 4]++;
	}
#pragma omp taskwait depend(in : data[0])
	for (int i = 0; i < 3; i++) {
#pragma omp task depend(mutexinoutset : data[1]) shared(data)
		data[1]++;
	}
#pragma omp taskwait
}

static void tree(int depth)
{
	for (int i = 0; depth > 0 && i < 3; i++) {
#pragma omp task untied firstprivate(depth)
		{
			tree(depth - 1);
#pragma omp taskyield
			add(&sum, 1);
		}
	}
#pragma omp taskwait
}

static void in_single(void)
{
	omp_event_handle_t event;
	dependences();
#pragma omp taskgroup
	tree(3);
#pragma omp task detach(event)
	add(&sum, 1);
#pragma omp task
	omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp task
	{
#pragma omp parallel num_threads(2)
#pragma omp critical
		sum++;
	}
}

static void member(int round)
{
#pragma omp for schedule(dynamic, 4) reduction(+ : sum)
	for (int i = 0; i < 32; i++)
		sum += i;
	for (int i = 0; i < 4; i++) {
		omp_set_lock(&lock);
		sum++;
		omp_unset_lock(&lock);
	}
#pragma omp single
	in_single();
#pragma omp sections
	{
#pragma omp section
		add(&sum, 1);
#pragma omp section
		add(&sum, 1);
	}
#pragma omp masked
	add(&sum, 1);
#pragma omp barrier
	if (round > 1 && omp_get_thread_num() == 1)
		raise(SIGKILL);
}

int main(int argc, char **argv)
{
	(void)argv;
	omp_init_lock(&lock);
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(3)
		member(argc > 1 ? round : 0);
	}
	omp_destroy_lock(&lock);
	printf("done\n");
	return 0;
}
