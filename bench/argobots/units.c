/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Workloads of Argobots on one execution stream. `units NAME SIZE TOOL` runs one, first smaller to warm up, then SIZE, which is timed; it checks
 * what came out and prints the line of bench/workloads/main.c, with own_cpu_ns: of this thread alone. TOOL is what the program itself attaches to the library's tool interface:
 *
 *   none              nothing
 *   empty             a callback for all events that does nothing: what the library takes to call a tool
 *   floor             takes the time stamp and stores 32 bytes to a hot buffer, which wraps
 *   count             counts events, and prints how many there were on standard error
 *   basic, detailed   the library's own profiler in these modes, where the program was compiled with PROFILER (its header)
 *
 * `units --list` prints a line for each workload: name, default size, quick size, op. Exit status: 0, 1 a wrong result, 2 usage.
 */
#include <abt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/event.h"

#ifdef PROFILER
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include PROFILER
#pragma GCC diagnostic pop
#endif

#define BATCH  64
#define N_LOCK 4

static ABT_pool pool;
static uint64_t done;
static uint64_t n_rounds; /* of each unit */

static void check(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "units: wrong: %s\n", what);
	exit(1);
}

static void create(void (*function)(void *), void *argument, ABT_thread *unit)
{
	check(ABT_thread_create(pool, function, argument, ABT_THREAD_ATTR_NULL, unit) == ABT_SUCCESS, "a unit cannot be created");
}

static void free_all(ABT_thread *units, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ABT_thread_free(&units[i]);
}

/* ---- Workloads: each returns how many ops it did ---- */

static void count_one(void *argument)
{
	(void)argument;
	done++;
}

static void join(uint64_t size)
{
	ABT_thread unit;
	for (uint64_t i = 0; i < size; i++) {
		create(count_one, NULL, &unit);
		ABT_thread_free(&unit);
	}
}

static void batch(uint64_t size)
{
	ABT_thread units[BATCH];
	for (uint64_t i = 0; i < size; i += BATCH) {
		for (size_t k = 0; k < BATCH; k++)
			create(count_one, NULL, &units[k]);
		free_all(units, BATCH);
	}
}

static void tasklets(uint64_t size)
{
	for (uint64_t i = 0; i < size; i += BATCH) {
		for (size_t k = 0; k < BATCH; k++)
			ABT_task_create(pool, count_one, NULL, NULL);
		ABT_thread_yield();
	}
}

static void yield_often(void *argument)
{
	(void)argument;
	for (uint64_t i = 0; i < n_rounds; i++) {
		ABT_thread_yield();
		done++;
	}
}

static void yield_in_turn(uint64_t size, size_t n_units)
{
	ABT_thread units[BATCH];
	n_rounds = size / n_units;
	for (size_t k = 0; k < n_units; k++)
		create(yield_often, NULL, &units[k]);
	free_all(units, n_units);
}

static void yields(uint64_t size)
{
	yield_in_turn(size, BATCH);
}

static void pairs(uint64_t size)
{
	yield_in_turn(size, 2);
}

static void polls(uint64_t size)
{
	yield_in_turn(size, 1);
}

static ABT_eventual balls[2];

/* Two units: each waits for the other's word, and gives its own. */
static void play(void *argument)
{
	size_t side = (size_t)(uintptr_t)argument;
	for (uint64_t i = 0; i < n_rounds; i++) {
		ABT_eventual_wait(balls[side], NULL);
		ABT_eventual_reset(balls[side]);
		done++;
		ABT_eventual_set(balls[!side], NULL, 0);
	}
}

static void eventuals(uint64_t size)
{
	ABT_thread units[2];
	n_rounds = size / 2;
	for (size_t side = 0; side < 2; side++) {
		ABT_eventual_create(0, &balls[side]);
		create(play, (void *)(uintptr_t)side, &units[side]);
	}
	ABT_eventual_set(balls[0], NULL, 0);
	free_all(units, 2);
	for (size_t side = 0; side < 2; side++)
		ABT_eventual_free(&balls[side]);
}

static ABT_mutex mutex;

static void lock_often(void *argument)
{
	(void)argument;
	for (uint64_t i = 0; i < n_rounds; i++) {
		ABT_mutex_lock(mutex);
		done++;
		ABT_thread_yield();
		ABT_mutex_unlock(mutex);
	}
}

static void locks(uint64_t size)
{
	ABT_thread units[N_LOCK];
	n_rounds = size / N_LOCK;
	ABT_mutex_create(&mutex);
	for (size_t k = 0; k < N_LOCK; k++)
		create(lock_often, NULL, &units[k]);
	free_all(units, N_LOCK);
	ABT_mutex_free(&mutex);
}

static const struct workload {
	const char *name;
	void (*run)(uint64_t size); /* multiples of BATCH */
	uint64_t size, quick;
	const char *op;
} workloads[] = {
	{"join", join, 512000, 64000, "a unit is created, joined and freed"},
	{"batch", batch, 512000, 64000, "the same, 64 of them created before the first is joined"},
	{"tasklets", tasklets, 1024000, 128000, "a tasklet without a name"},
	{"yields", yields, 2048000, 256000, "a yield, 64 units in turn"},
	{"pairs", pairs, 2048000, 256000, "a yield, two units in turn"},
	{"polls", polls, 2048000, 256000, "a yield, one unit alone"},
	{"eventuals", eventuals, 1024000, 128000, "a wait for an eventual, and its setting, two units in turn"},
	{"locks", locks, 512000, 64000, "a contended mutex is locked and unlocked"},
};
#define N_WORKLOADS (sizeof workloads / sizeof *workloads)

/* ---- Tools ---- */

static void on_event_empty(ABT_thread unit, ABT_xstream xstream, uint64_t event, ABT_tool_context context, void *user)
{
	(void)unit, (void)xstream, (void)event, (void)context, (void)user;
}

static uint64_t n_events;

static void on_event_count(ABT_thread unit, ABT_xstream xstream, uint64_t event, ABT_tool_context context, void *user)
{
	(void)unit, (void)xstream, (void)event, (void)context, (void)user;
	n_events++;
}

#define FLOOR_SLOTS 8192u
static struct record slots[FLOOR_SLOTS];
static unsigned next_slot;

static void on_event_floor(ABT_thread unit, ABT_xstream xstream, uint64_t event, ABT_tool_context context, void *user)
{
	uint64_t time = clock_counter();
	(void)xstream, (void)context, (void)user;
	slots[next_slot] = (struct record){time, event, (uint64_t)(uintptr_t)unit, 0};
	next_slot = (next_slot + 1) % FLOOR_SLOTS;
}

#ifdef PROFILER
static ABTX_prof_context profiler;

static bool attach_profiler(int mode)
{
	return ABTX_prof_init(&profiler) == ABT_SUCCESS && ABTX_prof_start(profiler, mode) == ABT_SUCCESS;
}
#endif

static bool attach(const char *tool)
{
	ABT_tool_thread_callback_fn function = strcmp(tool, "empty") == 0   ? on_event_empty
					       : strcmp(tool, "count") == 0 ? on_event_count
					       : strcmp(tool, "floor") == 0 ? on_event_floor
									    : NULL;
	if (function)
		return ABT_tool_register_thread_callback(function, ABT_TOOL_EVENT_THREAD_ALL, NULL) == ABT_SUCCESS;
#ifdef PROFILER
	if (strcmp(tool, "basic") == 0)
		return attach_profiler(ABTX_PROF_MODE_BASIC);
	if (strcmp(tool, "detailed") == 0)
		return attach_profiler(ABTX_PROF_MODE_DETAILED);
#endif
	return strcmp(tool, "none") == 0;
}

/* ---- A run ---- */

static void usage(void)
{
	fprintf(stderr, "usage: units NAME SIZE none|empty|floor|count%s; units --list\n",
#ifdef PROFILER
		"|basic|detailed"
#else
		""
#endif
	);
	exit(2);
}

static void run(const struct workload *workload, uint64_t size)
{
	done = 0;
	workload->run(size);
	check(done == size, "not everything was done");
}

static void measure(const struct workload *workload, uint64_t size)
{
	uint64_t warm_up = (size / 8 + BATCH - 1) / BATCH * BATCH;
	run(workload, warm_up);
	uint64_t n_before = n_events;
	uint64_t cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID), own_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC);
	run(workload, size);
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC);
	wall_ns = end_ns - wall_ns;
	own_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - own_cpu_ns;
	cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns;
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	printf("threads=1 size=%" PRIu64 " ops=%" PRIu64 " all_ops=%" PRIu64 " wall_ns=%" PRIu64 " cpu_ns=%" PRIu64
	       " own_cpu_ns=%" PRIu64 " rss_kib=%ld end_ns=%" PRIu64 "\n",
	       size, size, size + warm_up, wall_ns, cpu_ns, own_cpu_ns, usage.ru_maxrss, end_ns);
	if (n_events)
		fprintf(stderr, "callbacks %" PRIu64 "\n", n_events - n_before);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < N_WORKLOADS; i++)
			printf("%s %" PRIu64 " %" PRIu64 " %s\n", workloads[i].name, workloads[i].size, workloads[i].quick,
			       workloads[i].op);
		return 0;
	}
	if (argc != 4)
		usage();
	const struct workload *workload = workloads;
	while (workload < workloads + N_WORKLOADS && strcmp(workload->name, argv[1]) != 0)
		workload++;
	uint64_t size = strtoull(argv[2], NULL, 10) / BATCH * BATCH;
	if (workload == workloads + N_WORKLOADS || size == 0)
		usage();
	check(ABT_init(0, NULL) == ABT_SUCCESS, "Argobots cannot be initialised");
	ABT_xstream self;
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	if (!attach(argv[3]))
		usage();
	measure(workload, size);
#ifdef PROFILER
	if (profiler) {
		ABTX_prof_stop(profiler);
		ABTX_prof_finalize(profiler);
	}
#endif
	ABT_finalize();
	return 0;
}
