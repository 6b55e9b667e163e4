/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread waits, for a while that the other makes it: waits CONSTRUCT [MILLISECONDS]. What it waits in is the construct's name; tests/sampling.py
 * says in which state each runtime has the thread meanwhile. Prints "ok".
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds = 0.2;
static atomic_int is_there; /* the thread that will wait is about to */

/* Computes, and makes no system call: it is at work. */
static void hold(void)
{
	double end = omp_get_wtime() + seconds;
	while (omp_get_wtime() < end)
		;
}

static void hold_when_there(void)
{
	while (!atomic_load(&is_there))
		;
	hold();
}

static void serial(void)
{
	hold();
}

static void parallel(void)
{
#pragma omp parallel num_threads(2)
	hold();
}

static void task(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
	hold();
}

/* Thread 1 waits in these. */
static void barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			hold();
#pragma omp barrier
	}
}

static void loop(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static, 1)
	for (int i = 0; i < 2; i++)
		if (i == 0)
			hold();
}

static void single(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	hold();
}

static void sections(void)
{
#pragma omp parallel num_threads(2)
#pragma omp sections
	{
#pragma omp section
		hold();
#pragma omp section
		;
	}
}

static void copyprivate(void)
{
	static int x;
#pragma omp threadprivate(x)
#pragma omp parallel num_threads(2)
#pragma omp single copyprivate(x)
	{
		x = 1;
		hold();
	}
}

static void join(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0)
		hold();
}

/* The primary thread waits for the worker. */
static void join_of_primary(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		hold();
}

static void between_regions(void)
{
#pragma omp parallel num_threads(2)
	atomic_fetch_add(&is_there, 1);
	hold();
#pragma omp parallel num_threads(2)
	atomic_fetch_add(&is_there, 1);
}

static void reduction(void)
{
	int sum = 0;
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(static, 1) reduction(+ : sum)
		for (int i = 0; i < 2; i++) {
			sum += i;
			if (i == 0)
				hold();
		}
	}
	if (sum != 1)
		exit(1);
}

static void teams(void)
{
#pragma omp teams num_teams(2) thread_limit(1)
	if (omp_get_team_num() == 0)
		hold();
}

/* The task is taken by the thread that has nothing else to do; the one that made it waits. */
static void taskwait(void)
{
	atomic_int is_begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(is_begun)
		{
			atomic_store(&is_begun, 1);
			hold();
		}
		while (!atomic_load(&is_begun))
			;
#pragma omp taskwait
	}
}

static void taskgroup(void)
{
	atomic_int is_begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	{
#pragma omp task shared(is_begun)
		{
			atomic_store(&is_begun, 1);
			hold();
		}
		while (!atomic_load(&is_begun))
			;
	}
}

static void lock(void)
{
	omp_lock_t it;
	omp_init_lock(&it);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			omp_set_lock(&it);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			hold_when_there();
		} else {
			atomic_store(&is_there, 1);
			omp_set_lock(&it);
		}
		omp_unset_lock(&it);
	}
	omp_destroy_lock(&it);
}

static void nest_lock(void)
{
	omp_nest_lock_t it;
	omp_init_nest_lock(&it);
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0)
			omp_set_nest_lock(&it);
#pragma omp barrier
		if (omp_get_thread_num() == 0) {
			hold_when_there();
		} else {
			atomic_store(&is_there, 1);
			omp_set_nest_lock(&it);
		}
		omp_unset_nest_lock(&it);
	}
	omp_destroy_nest_lock(&it);
}

static void critical(void)
{
	atomic_int is_in = 0;
#pragma omp parallel num_threads(2) shared(is_in)
	{
		while (omp_get_thread_num() == 1 && !atomic_load(&is_in))
			;
		if (omp_get_thread_num() == 1)
			atomic_store(&is_there, 1);
#pragma omp critical
		if (omp_get_thread_num() == 0) {
			atomic_store(&is_in, 1);
			hold_when_there();
		}
	}
}

static void critical_spin(void)
{
	atomic_int is_in = 0;
#pragma omp parallel num_threads(2) shared(is_in)
	{
		while (omp_get_thread_num() == 1 && !atomic_load(&is_in))
			;
		if (omp_get_thread_num() == 1)
			atomic_store(&is_there, 1);
#pragma omp critical(spin) hint(omp_sync_hint_uncontended)
		if (omp_get_thread_num() == 0) {
			atomic_store(&is_in, 1);
			hold_when_there();
		}
	}
}

static void ordered(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(static, 1)
	for (int i = 0; i < 2; i++)
#pragma omp ordered
		if (i == 0)
			hold();
}

static void doacross(void)
{
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(static, 1)
	for (int i = 0; i < 2; i++) {
#pragma omp ordered depend(sink : i - 1)
		if (i == 0)
			hold();
#pragma omp ordered depend(source)
	}
}

/* The encountering thread waits for a task that another runs, without being in a synchronisation region. */
static void taskwait_depend(void)
{
	int x = 0;
	atomic_int is_begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task shared(is_begun) depend(out : x)
		{
			atomic_store(&is_begun, 1);
			hold();
		}
		while (!atomic_load(&is_begun))
			;
#pragma omp taskwait depend(in : x)
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} constructs[] = {
	{"serial", serial},
	{"parallel", parallel},
	{"task", task},
	{"barrier", barrier},
	{"loop", loop},
	{"single", single},
	{"sections", sections},
	{"copyprivate", copyprivate},
	{"join", join},
	{"join_of_primary", join_of_primary},
	{"between_regions", between_regions},
	{"reduction", reduction},
	{"teams", teams},
	{"taskwait", taskwait},
	{"taskwait_depend", taskwait_depend},
	{"taskgroup", taskgroup},
	{"lock", lock},
	{"nest_lock", nest_lock},
	{"critical", critical},
	{"critical_spin", critical_spin},
	{"ordered", ordered},
	{"doacross", doacross},
};

int main(int argc, char *argv[])
{
	if (argc > 2)
		seconds = atof(argv[2]) / 1000;
	omp_set_dynamic(0);
	for (size_t i = 0; argc > 1 && i < sizeof constructs / sizeof *constructs; i++)
		if (strcmp(argv[1], constructs[i].name) == 0) {
			constructs[i].run();
			puts("ok");
			return 0;
		}
	fprintf(stderr, "no such construct\n");
	return 2;
}
