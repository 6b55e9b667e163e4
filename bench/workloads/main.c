/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The workloads of the benchmarks. `workload NAME [SIZE]` runs one on OMP_NUM_THREADS threads, first smaller to warm up, then SIZE, which
 * is timed; it checks the result of both and prints one line:
 *
 *   threads=N size=N ops=N all_ops=N wall_ns=N cpu_ns=N rss_kib=N end_ns=N
 *
 * all_ops is with the warm-up; cpu_ns of all threads of the process (a tool's too); rss_kib the most memory that the process had at a
 * time so far; end_ns when it came to its end, on CLOCK_MONOTONIC: what comes later is the runtime's and the tool's.
 *
 * `workload --list` prints a line for each: name, group, default size, quick size, op. Exit status: 0, 1 a wrong result, 2 usage.
 */
#include "bench/workloads/workload.h"

#include "common/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *group;
	const struct workload *workloads;
} groups[] = {{"micro", micro_task_workloads}, {"micro", micro_team_workloads}, {"shapes", grain_workloads},
	      {"shapes", tree_workloads},      {"shapes", matrix_workloads},    {"shapes", grid_workloads}};
#define N_GROUPS (sizeof groups / sizeof *groups)

static const char *running;
static uint64_t wall_ns, cpu_ns;

_Thread_local uint64_t done;
uint64_t all_done;

void timed_begin(void)
{
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall_ns = clock_ns(CLOCK_MONOTONIC);
}

void timed_end(void)
{
	wall_ns = clock_ns(CLOCK_MONOTONIC) - wall_ns;
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
}

void check(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "workload: %s: wrong: %s\n", running, what);
	exit(1);
}

void *zeroed(size_t n, size_t bytes)
{
	void *memory = calloc(n, bytes);
	check(memory != NULL, "out of memory");
	return memory;
}

void sum_done(void)
{
#pragma omp atomic
	all_done += done;
	done = 0;
}

uint64_t take_done(void)
{
	uint64_t n = all_done;
	all_done = 0;
	return n;
}

#define SPIN_FACTOR UINT64_C(6364136223846793005)
#define SPIN_ADDEND UINT64_C(1442695040888963407)

uint64_t spin(uint64_t x, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		x = x * SPIN_FACTOR + SPIN_ADDEND;
		__asm__ volatile("" : "+r"(x)); /* step by step */
	}
	return x;
}

uint64_t spin_expected(uint64_t x, unsigned steps)
{
	uint64_t factor = SPIN_FACTOR, addend = SPIN_ADDEND;
	for (; steps; steps /= 2) {
		if (steps & 1)
			x = x * factor + addend;
		addend *= factor + 1;
		factor *= factor;
	}
	return x;
}

static const struct workload *find(const char *name)
{
	for (size_t i = 0; i < N_GROUPS; i++)
		for (const struct workload *w = groups[i].workloads; w->name != NULL; w++)
			if (strcmp(w->name, name) == 0)
				return w;
	return NULL;
}

static int list(void)
{
	for (size_t i = 0; i < N_GROUPS; i++)
		for (const struct workload *w = groups[i].workloads; w->name != NULL; w++)
			printf("%-10s %-6s %8" PRIu64 " %8" PRIu64 " %s\n", w->name, groups[i].group, w->size, w->quick, w->op);
	return 0;
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
	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list();
	const struct workload *w = argc == 2 || argc == 3 ? find(argv[1]) : NULL;
	uint64_t size = w != NULL ? w->size : 0;
	if (argc == 3) {
		char *end;
		errno = 0;
		size = strtoull(argv[2], &end, 10);
		if (errno != 0 || *end != '\0' || size == 0)
			w = NULL;
	}
	if (w == NULL) {
		fprintf(stderr, "usage: workload NAME [SIZE] | workload --list\n");
		return 2;
	}

	running = w->name;
	uint64_t warm_up = w->warm_up > 0 ? w->run(w->warm_up < size ? w->warm_up : size) : 0;
	uint64_t ops = w->run(size);
	printf("threads=%d size=%" PRIu64 " ops=%" PRIu64 " all_ops=%" PRIu64 " wall_ns=%" PRIu64 " cpu_ns=%" PRIu64,
	       omp_get_max_threads(), size, ops, warm_up + ops, wall_ns, cpu_ns);
	printf(" rss_kib=%" PRIu64, peak_rss_kib());
	printf(" end_ns=%" PRIu64 "\n", clock_ns(CLOCK_MONOTONIC));
	return 0;
}
