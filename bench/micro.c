/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The micro workloads: each does one OpenMP construct many times around next to no work, so that what the constructs cost, and what a
 * tool adds to it, is all there is. `micro WORKLOAD [COUNT]` runs one on OMP_NUM_THREADS threads, first an eighth of COUNT to warm up,
 * then COUNT, which is timed; it checks the result against what the workload's text says and prints one line:
 *
 *   threads=N ops=N all_ops=N wall_ns=N cpu_ns=N rss_kib=N
 *
 * all_ops is with the warm-up, cpu_ns of all threads of the process (a tool's too), rss_kib the most memory it had at a time.
 *
 * `micro --list` prints the names. Exit status: 0, 1 a wrong result, 2 usage.
 */
#include "common/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 64 /* variables that the dependences go round; a power of two */

static int n_threads;
static _Thread_local uint64_t done; /* by this thread, until sum_done() */
static uint64_t all_done;
static uint64_t cells[CELLS];

/* Called by the whole team, at a place where nobody is still counting. */
static void sum_done(void)
{
#pragma omp atomic
	all_done += done;
	done = 0;
}

/* Each workload returns the number of ops that it did, and leaves in all_done what *expected says. */

static uint64_t tasks(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < count; i++) {
#pragma omp task
			done++;
		}
		sum_done();
	}
	*expected = count;
	return count;
}

static uint64_t undeferred(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < count; i++) {
#pragma omp task if (0)
			done++;
		}
		sum_done();
	}
	*expected = count;
	return count;
}

/* One chain a cell: a cell counts the tasks that had it to themselves. */
static uint64_t depend1(uint64_t count, uint64_t *expected)
{
	memset(cells, 0, sizeof cells);
#pragma omp parallel
#pragma omp single
	for (uint64_t i = 0; i < count; i++) {
		uint64_t *cell = &cells[i % CELLS];
#pragma omp task depend(inout : *cell) firstprivate(cell)
		++*cell;
	}
	for (int i = 0; i < CELLS; i++)
		all_done += cells[i];
	*expected = count;
	return count;
}

/* A chain a cell again, each task reading three cells that others may only read then. */
static uint64_t depend4(uint64_t count, uint64_t *expected)
{
	memset(cells, 0, sizeof cells);
#pragma omp parallel
#pragma omp single
	for (uint64_t i = 0; i < count; i++) {
		uint64_t *own = &cells[i % (CELLS / 2)];
		uint64_t *others = &cells[CELLS / 2 + i % (CELLS / 2 - 2)];
#pragma omp task depend(inout : *own) depend(in : others[0], others[1], others[2]) firstprivate(own, others)
		*own += 1 + others[0] + others[1] + others[2];
	}
	for (int i = 0; i < CELLS; i++)
		all_done += cells[i];
	*expected = count;
	return count;
}

/* clang's own code for a taskloop mixes long and unsigned long, whatever the type of the loop's variable. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static uint64_t taskloop(uint64_t count, uint64_t *expected)
{
	const uint64_t n_iterations = 100;
	uint64_t n_loops = (count + n_iterations - 1) / n_iterations;
#pragma omp parallel
	{
#pragma omp single
		for (uint64_t i = 0; i < n_loops; i++) {
#pragma omp taskloop grainsize(1)
			for (uint64_t j = 0; j < n_iterations; j++)
				done++;
		}
		sum_done();
	}
	*expected = n_loops * n_iterations;
	return n_loops * n_iterations;
}
#pragma GCC diagnostic pop

static uint64_t fib_task(unsigned n)
{
	uint64_t a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a)
	{
		done++;
		a = fib_task(n - 1);
	}
#pragma omp task shared(b)
	{
		done++;
		b = fib_task(n - 2);
	}
#pragma omp taskwait
	return a + b;
}

/* COUNT asks for at least so many tasks: fib(n) makes 2 fib(n + 1) - 2. */
static uint64_t fib(uint64_t count, uint64_t *expected)
{
	unsigned n = 1;
	uint64_t value = 1, next = 1, got = 0; /* fib(n), fib(n + 1) */
	while (2 * next - 2 < count) {
		uint64_t sum = value + next;
		value = next;
		next = sum;
		n++;
	}
#pragma omp parallel
	{
#pragma omp single
		got = fib_task(n);
		sum_done();
	}
	/* Wrong numbers of tasks and wrong values are both to be seen in the one sum. */
	all_done += got;
	*expected = 2 * next - 2 + value;
	return 2 * next - 2;
}

static uint64_t regions(uint64_t count, uint64_t *expected)
{
	for (uint64_t i = 0; i < count; i++) {
#pragma omp parallel
		done++;
	}
#pragma omp parallel
	sum_done();
	*expected = count * (uint64_t)n_threads;
	return count;
}

/* Every thread of a region opens regions of its own, of one thread each: nesting, without more threads than cores. */
static uint64_t nested(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
#pragma omp parallel num_threads(1)
			done++;
		}
		sum_done();
	}
	*expected = count * (uint64_t)n_threads;
	return count;
}

static uint64_t loop_static(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
#pragma omp for schedule(static)
			for (int j = 0; j < 16; j++)
				done++;
		}
		sum_done();
	}
	*expected = count * 16;
	return count;
}

static uint64_t loop_dynamic(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
#pragma omp for schedule(dynamic)
			for (int j = 0; j < 16; j++)
				done++;
		}
		sum_done();
	}
	*expected = count * 16;
	return count;
}

static uint64_t single(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
#pragma omp single
			done++;
		}
		sum_done();
	}
	*expected = count;
	return count;
}

static uint64_t masked(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
#pragma omp masked
			done++;
		}
		sum_done();
	}
	*expected = count;
	return count;
}

static uint64_t barriers(uint64_t count, uint64_t *expected)
{
#pragma omp parallel
	{
		for (uint64_t i = 0; i < count; i++) {
			done++;
#pragma omp barrier
		}
		sum_done();
	}
	*expected = count * (uint64_t)n_threads;
	return count;
}

static uint64_t critical(uint64_t count, uint64_t *expected)
{
	uint64_t share = count / (uint64_t)n_threads;
#pragma omp parallel
	for (uint64_t i = 0; i < share; i++) {
#pragma omp critical
		all_done++;
	}
	*expected = share * (uint64_t)n_threads;
	return share * (uint64_t)n_threads;
}

static uint64_t lock(uint64_t count, uint64_t *expected)
{
	uint64_t share = count / (uint64_t)n_threads;
	omp_lock_t l;
	omp_init_lock(&l);
#pragma omp parallel
	for (uint64_t i = 0; i < share; i++) {
		omp_set_lock(&l);
		all_done++;
		omp_unset_lock(&l);
	}
	omp_destroy_lock(&l);
	*expected = share * (uint64_t)n_threads;
	return share * (uint64_t)n_threads;
}

/* For the start and the finish of the process: its whole time counts, not the line it prints. */
static uint64_t hello(uint64_t count, uint64_t *expected)
{
	(void)count;
#pragma omp parallel
	{
		done++;
		sum_done();
	}
	*expected = (uint64_t)n_threads;
	return 1;
}

static const struct workload {
	const char *name;
	uint64_t (*run)(uint64_t count, uint64_t *expected);
	uint64_t count; /* by default: about a million records, a tenth of a second at most */
} workloads[] = {
	{"tasks", tasks, 400000},        {"undeferred", undeferred, 400000},
	{"depend1", depend1, 200000},    {"depend4", depend4, 50000},
	{"taskloop", taskloop, 300000},  {"fib", fib, 200000},
	{"regions", regions, 100000},    {"nested", nested, 200000},
	{"static", loop_static, 100000}, {"dynamic", loop_dynamic, 20000},
	{"single", single, 200000},      {"masked", masked, 500000},
	{"barriers", barriers, 200000},  {"critical", critical, 400000},
	{"lock", lock, 400000},          {"hello", hello, 0},
};

static const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

/* Runs and checks; the number of ops. */
static uint64_t workload_run(const struct workload *w, uint64_t count)
{
	uint64_t expected = 0;
	all_done = 0;
	uint64_t ops = w->run(count, &expected);
	if (all_done != expected) {
		fprintf(stderr, "micro: %s: got %" PRIu64 ", expected %" PRIu64 "\n", w->name, all_done, expected);
		exit(1);
	}
	return ops;
}

/* From /proc: what getrusage says is never less than the parent process had. */
static uint64_t peak_rss_kib(void)
{
	char line[128];
	uint64_t kib = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f != NULL && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line, "VmHWM: %" SCNu64, &kib) == 1)
			break;
	if (f != NULL)
		fclose(f);
	return kib;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
			puts(workloads[i].name);
		return 0;
	}
	const struct workload *w = argc == 2 || argc == 3 ? workload_find(argv[1]) : NULL;
	uint64_t count = w != NULL ? w->count : 0;
	if (argc == 3) {
		char *end;
		errno = 0;
		count = strtoull(argv[2], &end, 10);
		if (errno != 0 || *end != '\0' || count == 0)
			w = NULL;
	}
	if (w == NULL) {
		fprintf(stderr, "usage: micro WORKLOAD [COUNT] | micro --list\n");
		return 2;
	}

	n_threads = omp_get_max_threads();
	uint64_t warm_up = w->count > 0 ? workload_run(w, count / 8 + 1) : 0;
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t ops = workload_run(w, count);
	wall_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	printf("threads=%d ops=%" PRIu64 " all_ops=%" PRIu64 " wall_ns=%" PRIu64 " cpu_ns=%" PRIu64 " rss_kib=%" PRIu64 "\n",
	       n_threads, ops, warm_up + ops, wall_ns, cpu_ns, peak_rss_kib());
	return 0;
}
