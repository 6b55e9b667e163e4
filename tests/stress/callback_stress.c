/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls the recorder's callbacks as a runtime does, from many threads at once: tasks that one thread makes and another
 * runs, dependences, waits, locks, threads that come and go. In further runs another thread turns recording off and on
 * and asks for flushes meanwhile, and the tool ends before the threads do.
 *
 * 	callback_stress [RECORDS [THREADS...]]   about so many records by all threads of a wave, THREADS at once
 *
 * Without disturbance, every event must be in the dump once, and no task may run that was not made. With disturbance,
 * no task may be made twice, and every command must be there. The test is built plain and under ThreadSanitizer, which
 * checks every access of the recorder.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "recorder/omp/callbacks.h"
#include "recorder/ring/stream.h"
#include "tests/recorder_dump.h"

#define RECORDS_DEFAULT 200000
#define TASK_RECORDS    5 /* one record for its creation, two for its dependences, two for its running */
#define THREADS_MAX     64
#define WAVES           3
#define IN_FLIGHT       256 /* tasks that have been made and have not run yet */
#define DEPENDENCES     3
#define DISTURBANCES    200

/* ---- The runtime's part: where a task lies between its making and its running ---- */

struct task {
	ompt_data_t data;
	struct task *next;
};

static struct task tasks[THREADS_MAX][IN_FLIGHT];
static struct task *ready;
static pthread_mutex_t ready_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all_came;
static uint64_t n_each;

static void push(struct task *task)
{
	pthread_mutex_lock(&ready_lock);
	task->next = ready;
	ready = task;
	pthread_mutex_unlock(&ready_lock);
}

static struct task *pop(void)
{
	pthread_mutex_lock(&ready_lock);
	struct task *task = ready;
	if (task)
		ready = task->next;
	pthread_mutex_unlock(&ready_lock);
	return task;
}

static void run(struct task *task, ompt_data_t *implicit)
{
	on_task_schedule(implicit, ompt_task_switch, &task->data);
	on_task_schedule(&task->data, ompt_task_complete, implicit);
}

static void make(struct task *task, ompt_data_t *parent)
{
	ompt_dependence_t list[DEPENDENCES];
	task->data.value = 0;
	on_task_create(parent, NULL, &task->data, ompt_task_explicit, 1, NULL);
	for (unsigned i = 0; i < DEPENDENCES; i++)
		list[i] = (ompt_dependence_t){{.ptr = task + i}, ompt_dependence_type_inout};
	on_dependences(&task->data, list, DEPENDENCES);
	push(task);
}

/* A thread of the team. Other threads may run its last tasks after its end, so no memory is used again before all
 * threads have come. */
static void *work(void *argument)
{
	struct task *own = argument;
	ompt_data_t thread = {0}, implicit = {0}, region = {0};
	uint64_t n_left = n_each;
	on_thread_begin(ompt_thread_worker, &thread);
	on_implicit_task(ompt_scope_begin, &region, &implicit, 1, 1, ompt_task_initial);
	while (n_left) {
		uint64_t n = n_left < IN_FLIGHT ? n_left : IN_FLIGHT;
		for (uint64_t i = 0; i < n; i++)
			make(&own[i], &implicit);
		on_mutex_acquire(ompt_mutex_lock, 0, 0, 1, NULL);
		on_mutex_acquired(ompt_mutex_lock, 1, NULL);
		on_mutex_released(ompt_mutex_lock, 1, NULL);
		on_sync_region(ompt_sync_region_taskwait, ompt_scope_begin, &region, &implicit, NULL);
		for (struct task *task; (task = pop());)
			run(task, &implicit);
		on_sync_region(ompt_sync_region_taskwait, ompt_scope_end, &region, &implicit, NULL);
		n_left -= n;
		pthread_barrier_wait(&all_came); /* another thread may still run one of our tasks */
	}
	on_implicit_task(ompt_scope_end, NULL, &implicit, 0, 1, ompt_task_initial);
	on_thread_end(&thread);
	return NULL;
}

/* ---- What is in the dump ---- */

static uint64_t counts[256];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Counts the kinds. Returns false if a task was run that was not made, or if one was made twice. */
static bool read_dump(struct session *session, bool is_whole)
{
	struct dump *dump = dump_open(session->dir.path, session->config.segment_bytes);
	uint64_t *made = malloc(sizeof *made), n_made = 0, capacity = 0;
	bool is_good = true;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < session_n_streams(session); i++) {
			size_t n_records;
			struct record *records = dump_records(dump, i, &n_records);
			for (size_t k = 0; k < n_records; k++) {
				const struct record *r = &records[k];
				uint64_t id = r->head >> RECORD_VALUE_SHIFT << ID_STREAM_BITS | i;
				counts[record_kind(r)] += pass == 0;
				if (pass == 0 && record_kind(r) == EVENT_task_create) {
					if (n_made == capacity)
						made = realloc(made, (capacity = capacity ? 2 * capacity : 1024) * sizeof *made);
					made[n_made++] = id;
				}
				if (pass == 1 && record_kind(r) == EVENT_task_schedule && is_whole && r->b &&
				    record_flags(r) == ompt_task_complete)
					is_good &= bsearch(&r->a, made, n_made, sizeof *made, compare) != NULL;
			}
			free(records);
		}
		qsort(made, n_made, sizeof *made, compare);
	}
	for (uint64_t i = 1; i < n_made; i++)
		is_good &= made[i] != made[i - 1];
	free(made);
	free(dump);
	return is_good;
}

static bool has(const char *what, enum event_kind kind, uint64_t wanted)
{
	if (counts[kind] == wanted)
		return true;
	fprintf(stderr, "%s: %llu, not %llu\n", what, (unsigned long long)counts[kind], (unsigned long long)wanted);
	return false;
}

/* ---- The runs ---- */

static void disturb(void)
{
	for (unsigned i = 0; i < DISTURBANCES; i++) {
		on_control_tool(2, 0, NULL, NULL);
		usleep(50);
		on_control_tool(1, 0, NULL, NULL);
		on_control_tool(3, 0, NULL, NULL);
		usleep(100);
	}
}

static bool run_all(const char *drain, unsigned n_threads, bool is_disturbed)
{
	pthread_t threads[THREADS_MAX];
	struct session *session = dump_begin("OTTER_RING", "32K", "OTTER_DRAIN", drain, NULL);
	if (!session)
		return false;
	pthread_barrier_init(&all_came, NULL, n_threads);
	for (unsigned wave = 0; wave < WAVES; wave++) {
		for (unsigned i = 0; i < n_threads; i++)
			pthread_create(&threads[i], NULL, work, tasks[i]);
		if (is_disturbed)
			disturb();
		if (is_disturbed && wave == WAVES - 1)
			session_end("finalize"); /* some threads still run */
		for (unsigned i = 0; i < n_threads; i++)
			pthread_join(threads[i], NULL);
	}
	session_end("finalize");
	uint64_t n_tasks = n_each * n_threads * WAVES, n_implicit = (uint64_t)n_threads * WAVES;
	bool is_good = read_dump(session, !is_disturbed);
	if (!is_disturbed)
		is_good &= (int)has("task_create", EVENT_task_create, n_tasks) &
			   has("task_schedule", EVENT_task_schedule, 2 * n_tasks) & has("dependences", EVENT_dependences, n_tasks) &
			   has("thread_begin", EVENT_thread_begin, n_implicit) & has("thread_end", EVENT_thread_end, n_implicit) &
			   has("implicit_task", EVENT_implicit_task_end, n_implicit);
	else
		is_good &= has("control_tool", EVENT_control_tool, DISTURBANCES * 3 * WAVES) && counts[EVENT_task_create] > 0;
	printf("%s%s: %u threads at once, %llu tasks, %llu recorded, %u streams: %s\n", drain, is_disturbed ? ", disturbed" : "",
	       n_threads, (unsigned long long)n_tasks, (unsigned long long)counts[EVENT_task_create], session_n_streams(session),
	       is_good ? "as it must be" : "FAILED");
	dump_remove();
	return is_good;
}

int main(int argc, char **argv)
{
	static const char *const drains[] = {"auto", "self"};
	static const unsigned defaults[] = {2, 8, THREADS_MAX};
	uint64_t n_records = argc > 1 ? strtoull(argv[1], NULL, 10) : RECORDS_DEFAULT;
	int n_counts = argc > 2 ? argc - 2 : (int)(sizeof defaults / sizeof *defaults);
	for (int c = 0; c < n_counts; c++) {
		unsigned n_threads = argc > 2 ? (unsigned)atoi(argv[c + 2]) : defaults[c];
		if (n_threads == 0 || n_threads > THREADS_MAX)
			return 2;
		n_each = n_records / TASK_RECORDS / n_threads;
		/* A process has one session, so each run has a child process. */
		for (unsigned i = 0; i < 4; i++) {
			pid_t child = fork();
			if (child == 0)
				exit(run_all(drains[i % 2], n_threads, i / 2) ? 0 : 1);
			int status = -1;
			if (waitpid(child, &status, 0) != child || status != 0)
				return 1;
		}
	}
	return 0;
}
