/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends in a given way at a given place, and keeps count of what it did until then in a file mapped shared, which outlives any end:
 *
 *     matrix PLACE HOW FILE       the places and ways are the tables below
 *
 * A counter goes up inside of the construct, hence after the recorder had its event, and when the end comes every other thread
 * stands still: the counters are exactly what must be in the dump. One row a process: the program, its forked child, and what it
 * becomes by execve. endings.py reads them.
 */
#include "tests/omp/check.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define STATUS_EXIT   7  /* by exit, _exit, quick_exit, return */
#define STATUS_AGAIN  23 /* of what execve started */
#define STATUS_PARENT 40 /* of a program whose child ended as it should */

enum { PROGRAM, CHILD, AGAIN, N_PROCESSES };

struct row {
	uint64_t regions;   /* parallel regions begun */
	uint64_t implicit;  /* implicit tasks begun in them */
	uint64_t created;   /* explicit tasks created, or begun: what is known first */
	uint64_t switches;  /* into tasks, and out of those that were waited for */
	uint64_t waits;     /* taskwaits begun */
	uint64_t waited;    /* taskwaits ended */
	uint64_t criticals; /* critical sections entered */
	uint64_t pid;
};

static struct row *row; /* this process's */
static char **arguments;

static void up(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_SEQ_CST);
}

/* ---- How ---- */

static void by_exit(void)
{
	exit(STATUS_EXIT);
}

static void by__exit(void)
{
	_exit(STATUS_EXIT);
}

static void by_abort(void)
{
	abort();
}

static void by_quick_exit(void)
{
	quick_exit(STATUS_EXIT);
}

static void by_pthread_exit(void)
{
	pthread_exit(NULL);
}

static void by_sigterm(void)
{
	kill(getpid(), SIGTERM);
	for (;;)
		pause();
}

static void by_sigkill(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

static void by_sigsegv(void)
{
	*(volatile char *)mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
}

static void by_execve(void)
{
	char *again[] = {arguments[0], "again", "return", arguments[3], NULL};
	execv(again[0], again);
	_exit(98);
}

static const struct {
	const char *name;
	void (*end)(void); /* NULL: returns from main, or the thread's function */
} ways[] = {{"return", NULL},
	    {"exit", by_exit},
	    {"_exit", by__exit},
	    {"abort", by_abort},
	    {"quick_exit", by_quick_exit},
	    {"pthread_exit", by_pthread_exit},
	    {"sigterm", by_sigterm},
	    {"sigkill", by_sigkill},
	    {"sigsegv", by_sigsegv},
	    {"execve", by_execve}};

static void (*end)(void);

/* ---- Where ---- */

/* The other thread of a team, when it has done what it has to: it gets no further. */
static int n_parked;

static void park(void)
{
	set_flag(&n_parked);
	for (;;)
		pause();
}

static void tasks(int n)
{
	for (int i = 0; i < n; i++) {
#pragma omp task
		up(&row->switches, 1);
		up(&row->created, 1);
	}
	up(&row->waits, 1);
#pragma omp taskwait
	up(&row->waited, 1);
	up(&row->switches, (uint64_t)n);
}

static void begin_team(void)
{
	if (omp_get_thread_num() == 0)
		up(&row->regions, 1);
	up(&row->implicit, 1);
}

static void region(int n_threads, int n_tasks)
{
#pragma omp parallel num_threads(n_threads)
	{
		begin_team();
		tasks(n_tasks);
	}
}

/* A task's body that is the end. */
static void last_task(void)
{
	up(&row->created, 1);
	up(&row->switches, 1);
	end();
}

static void in_primary(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		tasks(3);
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
		end();
	}
}

static void in_worker(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		tasks(3);
		if (omp_get_thread_num() == 0)
			park();
		wait_for(&n_parked);
		end();
	}
}

static void in_single(void)
{
	int begun = 0;
#pragma omp parallel num_threads(2)
	{
		begin_team();
		/* The other thread passes by the single region, which has no barrier. */
#pragma omp atomic
		begun++;
#pragma omp single nowait
		{
			int n;
			do {
#pragma omp atomic read
				n = begun;
			} while (n != 2);
			wait_for(&n_parked);
			tasks(3);
			end();
		}
		park();
	}
}

/* A deferred task that the other thread runs, at a barrier: its creator stands still. */
static void in_task(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() == 0) {
#pragma omp task
			{
				wait_for(&n_parked);
				last_task();
			}
			park();
		}
	}
}

static void in_undeferred(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
#pragma omp task if (0)
		last_task();
	}
}

static void in_initial_task(void)
{
#pragma omp task
	last_task();
}

static void in_taskwait(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
#pragma omp task
		last_task();
		up(&row->waits, 1);
#pragma omp taskwait
	}
}

static void in_join(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
#pragma omp task
		last_task();
	}
}

static void in_critical(void)
{
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
#pragma omp critical
		{
			up(&row->criticals, 1);
			end();
		}
	}
}

static void in_nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		begin_team();
		if (omp_get_thread_num() != 0)
			park();
		wait_for(&n_parked);
		n_parked = 0;
#pragma omp parallel num_threads(2)
		{
			begin_team();
			if (omp_get_thread_num() != 0)
				park();
			wait_for(&n_parked);
			tasks(3);
			end();
		}
	}
}

static void *root(void *arg)
{
	(void)arg;
	region(2, 5);
	tasks(4);
	if (end)
		end();
	return NULL;
}

static void in_root(void)
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, root, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void last_words(void)
{
	region(2, 5);
	if (end)
		end();
}

static void in_atexit(void)
{
	atexit(last_words);
}

static int has_destructor;

static void in_destructor(void)
{
	has_destructor = 1;
}

__attribute__((destructor)) static void destroy(void)
{
	if (has_destructor)
		last_words();
}

/* The parent goes on when its child has ended, and says how. */
static void fork_and_wait(void (*go)(void))
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		row += CHILD - PROGRAM;
		row->pid = (uint64_t)getpid();
		go();
		return;
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	printf("child %s %d\n", WIFEXITED(status) ? "exited" : "killed",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	region(2, 5);
	exit(STATUS_PARENT);
}

static void in_child(void)
{
	fork_and_wait(last_words);
}

static void in_child_region(void)
{
	fork_and_wait(in_primary);
}

static void here(void)
{
	if (end)
		end();
}

static const struct {
	const char *name;
	int team; /* of the region that comes first; 0: none */
	void (*go)(void);
	int tasks; /* of each of its threads; 0: a few */
} places[] = {{"before", 0, here, 0},
	      {"serial", 2, here, 0},
	      {"alone", 1, here, 0},   /* no other thread was ever there */
	      {"busy", 1, here, 6000}, /* but the recorder's own */
	      {"primary", 2, in_primary, 0},
	      {"worker", 2, in_worker, 0},
	      {"single", 2, in_single, 0},
	      {"task", 2, in_task, 0},
	      {"undeferred", 2, in_undeferred, 0},
	      {"initial_task", 2, in_initial_task, 0},
	      {"taskwait", 2, in_taskwait, 0},
	      {"join", 2, in_join, 0},
	      {"critical", 2, in_critical, 0},
	      {"nested", 2, in_nested, 0},
	      {"root", 2, in_root, 0},
	      {"atexit", 2, in_atexit, 0},
	      {"destructor", 2, in_destructor, 0},
	      {"child", 2, in_child, 0},
	      {"child_region", 2, in_child_region, 0},
	      {"again", 2, here, 0}};

int main(int argc, char **argv)
{
	CHECK(argc == 4);
	arguments = argv;
	int fd = open(argv[3], O_RDWR);
	CHECK(fd >= 0);
	row = mmap(NULL, N_PROCESSES * sizeof *row, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(row != MAP_FAILED);
	close(fd);
	int is_again = strcmp(argv[1], "again") == 0;
	if (is_again)
		row += AGAIN - PROGRAM;
	row->pid = (uint64_t)getpid();
	printf("in %s by %s\n", argv[1], argv[2]); /* what the end makes of it is part of the comparison */
	unsigned n_found = 0;
	for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strcmp(argv[2], ways[i].name) == 0) {
			end = ways[i].end;
			n_found++;
		}
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		if (strcmp(argv[1], places[i].name) == 0) {
			if (places[i].team != 0)
				region(places[i].team, places[i].tasks != 0 ? places[i].tasks : 5);
			places[i].go();
			n_found++;
		}
	CHECK(n_found == 2);
	return is_again ? STATUS_AGAIN : STATUS_EXIT;
}
