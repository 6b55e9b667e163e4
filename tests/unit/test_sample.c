/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: real timers at high rates, rings that nobody empties, forks and execs.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "recorder/drain/drain.h"
#include "tests/unit/recorder_sample.h"

/* ---- Without anybody who writes them ---- */

static void end_drain_thread(struct session *session)
{
	__atomic_store_n(&session->drain.must_end, 1, __ATOMIC_RELAXED);
	drain_wake(session);
	ck_assert_int_eq(pthread_join(session->drain.thread, NULL), 0);
	session->drain.is_running = 0;
}

START_TEST(full_ring_drops_and_counts)
{
	const uint64_t room = SAMPLE_SEGMENTS * SMALL_RECORDS - 1, n = room + 500; /* but for the attach record */
	char line[64];
	struct session *session = begin();
	put(FROM_PROGRAM, 0);
	stop_timers();
	end_drain_thread(session);
	for (uint64_t i = 1; i <= n; i++)
		send(i);
	ck_assert_uint_eq(stream_control(samples_of_thread())->lost[loss_cause_full], n - room);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_samples(dump, 0), room);
	ck_assert_uint_eq(check_records(dump, 1), 0);
	ck_assert_uint_eq(dump->n_rings, 0);
	char *meta = dump_meta(session->dir.path);
	snprintf(line, sizeof line, "\nlost_samples full %u\n", 501); /* the detach record, too */
	ck_assert_ptr_nonnull(strstr(meta, line));
	ck_assert_ptr_null(strstr(meta, "\nlost "));
	dump_remove();
}
END_TEST

/* ---- Real timers ---- */

#define N_THREADS 3

struct result {
	uint64_t n_wanted; /* samples */
	uint64_t n_records;
	int error;
};

static pthread_barrier_t all_have_streams;

/* Records until so many samples have come. */
static void *record_for_long(void *argument)
{
	struct result *result = argument;
	put(FROM_PROGRAM, result->n_records++);
	struct stream *samples = samples_of_thread();
	uint64_t *n_lost = &stream_control(samples)->lost[loss_cause_full];
	pthread_barrier_wait(&all_have_streams);
	errno = OWN_ERRNO;
	/* All of them may have come while it waited for the others. */
	do {
		put(FROM_PROGRAM, result->n_records++);
		for (volatile unsigned i = 0; i < 1000; i++)
			; /* or it would be gigabytes */
	} while (n_samples_of(samples) + __atomic_load_n(n_lost, __ATOMIC_RELAXED) < result->n_wanted);
	result->error = errno;
	return NULL;
}

/* All records of each thread are there. Samples of real timers have any `missed`. */
static void check_thread(const struct dump *dump, uint32_t stream, uint64_t n_wanted, uint64_t n_lost)
{
	size_t n_records;
	uint64_t next = 0, n_samples = 0, time = 0;
	struct record *records = dump_records(dump, stream, &n_records);
	for (size_t i = 0; i < n_records; i++)
		if (record_kind(&records[i]) == EVENT_task_schedule)
			ck_assert_uint_eq(records[i].b, next++);
	free(records);
	ck_assert_uint_gt(next, 1);
	records = dump_records(dump, stream | ID_STREAM_SAMPLES, &n_records);
	ck_assert_uint_gt(n_records, 2);
	ck_assert_uint_eq(record_kind(&records[0]), EVENT_thread_attach);
	for (size_t i = 0; i < n_records; i++) {
		ck_assert_uint_ge(records[i].time, time);
		time = records[i].time;
		if (record_kind(&records[i]) != EVENT_sample)
			continue;
		ck_assert_uint_eq(record_value(&records[i]), thread_state_undefined);
		n_samples++;
	}
	ck_assert_uint_ge(n_records + n_lost, n_wanted);
	ck_assert_uint_gt(n_samples, 0);
	free(records);
}

static void record_in_threads(const char *how, uint64_t n_wanted)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", how, NULL);
	pthread_t threads[N_THREADS];
	struct result results[N_THREADS] = {0};
	pthread_barrier_init(&all_have_streams, NULL, N_THREADS);
	for (unsigned i = 0; i < N_THREADS; i++)
		results[i].n_wanted = n_wanted;
	for (unsigned i = 0; i < N_THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, record_for_long, &results[i]), 0);
	for (unsigned i = 0; i < N_THREADS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_int_eq(results[i].error, OWN_ERRNO);
	}
	ck_assert_uint_eq(session_n_streams(session), N_THREADS);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		struct stream *samples = session_stream(session, i | ID_STREAM_SAMPLES);
		check_thread(dump, i, n_wanted, stream_control(samples)->lost[loss_cause_full]);
	}
	ck_assert_uint_eq(session_lost_reentry, 0);
	dump_remove();
}

START_TEST(threads_are_sampled_as_they_record)
{
	record_in_threads("20000", 3 * SMALL_RECORDS);
}
END_TEST

START_TEST(threads_are_sampled_by_their_own_time)
{
	record_in_threads("20000,cpu", 20); /* the kernel looks at these clocks a few hundred times a second */
}
END_TEST

/* ---- Other processes ---- */

/* The child has the handler but no timer; with its own session comes a timer of its own, and samples into its own dump. */
START_TEST(child_is_sampled_for_itself)
{
	int status;
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", "1000", NULL);
	put(FROM_PROGRAM, 0);
	stop_timers();
	uint64_t n_before = n_samples_of(samples_of_thread()); /* a busy machine may have left time for more than one */
	pid_t child = fork();
	if (child == 0) {
		put(FROM_PROGRAM, 0);
		bool is_own = session_get() && session_get() != session && session_get()->samples.signal == session->samples.signal;
		while (is_own && n_samples_of(samples_of_thread()) < 10)
			;
		session_end("finalize");
		_exit(is_own ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(n_samples_of(samples_of_thread()), n_before);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* Nothing of it is left in the program that is executed, where a signal would kill. */
START_TEST(exec_leaves_nothing)
{
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t child = fork();
		if (child == 0) {
			dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", "50000", NULL);
			put(FROM_PROGRAM, 0);
			execl("/bin/sh", "sh", "-c", "rm -rf \"$0\"", dump_parent, (char *)NULL);
			_exit(1);
		}
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_int_eq(status, 0);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample");
	TCase *timers = tcase_create("timers");
	tcase_set_timeout(timers, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(timers, full_ring_drops_and_counts);
	tcase_add_test(timers, threads_are_sampled_as_they_record);
	tcase_add_test(timers, threads_are_sampled_by_their_own_time);
	tcase_add_test(timers, child_is_sampled_for_itself);
	tcase_add_test(timers, exec_leaves_nothing);
	suite_add_tcase(suite, timers);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
