/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread and the machine's other work: what it goes away for, who writes meanwhile, and that nothing of it can hold up the process's
 * end.
 */
#include <check.h>
#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "recorder/drain/drain.h"
#include "recorder/drain/drain_idle.h"
#include "tests/unit/small_ring.h"

#define HOUR_NS UINT64_C(3600000000000)

/* While it is away nobody waits for it: the thread writes each segment as it fills it, and the drain thread takes none. */
START_TEST(threads_write_themselves_while_it_is_away)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 3);
	session->idle.is_away = 1;
	session->idle.away_until_ns = UINT64_MAX;
	ck_assert(!drain_round(session));
	for (uint64_t i = SMALL_RECORDS * 3; i < SMALL_RECORDS * 20; i++)
		put(i);
	ck_assert(!drain_round(session));
	struct stream *stream = tls_stream;
	ck_assert_uint_eq(stream->drained_upto, 0);
	ck_assert(!handover_has(&stream->full)); /* what was waiting when it went away is written, too */
	ck_assert_uint_le(tls_stream->n_used, 4);

	/* It comes back: it takes what comes from then on, and the segments that were used meanwhile are used again. */
	session->idle.is_away = 0;
	for (uint64_t i = SMALL_RECORDS * 20; i < SMALL_RECORDS * 60; i++) {
		put(i);
		if (i % SMALL_RECORDS == 0)
			ck_assert_int_eq(drain_round(session), i > SMALL_RECORDS * 20 + 1);
	}
	ck_assert_uint_ge(stream->drained_upto, 57);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_numbers(dump, 0), SMALL_RECORDS * 60);
	ck_assert_uint_eq(dump->n_rings, 0);
	dump_remove();
}
END_TEST

/* A flush while it is away: the owner writes everything at once. */
START_TEST(flush_is_written_while_it_is_away)
{
	struct session *session = begin_undrained();
	put_many(SMALL_RECORDS * 3 + 5);
	session->idle.is_away = 1;
	session->idle.away_until_ns = UINT64_MAX;
	__atomic_fetch_add(&session->n_flushes, 1, __ATOMIC_RELAXED);
	session_turn(0, 0);
	put(SMALL_RECORDS * 3 + 5);
	ck_assert(!handover_has(&tls_stream->full));
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert(!dump_segment(dump, 0, 4)->is_in_ring);
	ck_assert_uint_eq(tls_stream->drained_upto, 0);
	session_end("finalize");
	ck_assert_uint_eq(count_numbers(dump_open(session->dir.path, SMALL_SEGMENT), 0), SMALL_RECORDS * 3 + 6);
	dump_remove();
}
END_TEST

/* One that was woken and has not run yet takes nothing: no thread fills its ring for one that waits for a processor. */
START_TEST(late_one_takes_nothing)
{
	struct session *session = begin_undrained();
	ck_assert(drain_idle_takes(session));
	session->idle.woken_ns = 1; /* long ago */
	ck_assert(!drain_idle_takes(session));
	put_many(SMALL_RECORDS * 10);
	ck_assert_uint_le(tls_stream->n_used, 2);
	dump_remove();
}
END_TEST

/* It goes away if it ran long after it was woken, each time for longer, and comes back if it ran at once. */
START_TEST(it_goes_away_and_comes_back)
{
	struct session *session = begin_undrained();
	session->idle.stays = false;
	uint64_t until_ns = 0;
	for (unsigned i = 0; i < 12; i++) {
		session->idle.woken_ns = 1; /* long ago */
		drain_idle_woken(session);
		ck_assert_uint_eq(session->idle.woken_ns, 0);
		ck_assert(drain_idle_is_away(session));
		ck_assert(!drain_idle_takes(session));
		ck_assert_uint_gt(session->idle.away_until_ns, until_ns);
		until_ns = session->idle.away_until_ns;
	}
	ck_assert_uint_le(until_ns, clock_ns(CLOCK_MONOTONIC) + UINT64_C(100000000)); /* but not for ever longer */
	session->idle.away_until_ns = clock_ns(CLOCK_MONOTONIC) + HOUR_NS;
	ck_assert(!drain_idle_is_due(session));

	/* It ran at once, but it is not yet time; then it is. (What comes from the future is never late.) */
	session->idle.woken_ns = clock_ns(CLOCK_MONOTONIC) + HOUR_NS;
	drain_idle_woken(session);
	ck_assert(drain_idle_is_away(session));
	session->idle.away_until_ns = 0;
	ck_assert(drain_idle_is_due(session));
	session->idle.woken_ns = clock_ns(CLOCK_MONOTONIC) + HOUR_NS;
	drain_idle_woken(session);
	ck_assert(!drain_idle_is_away(session));

	/* Another thread had its processor. */
	session->idle.n_preemptions--;
	ck_assert(!drain_idle_check(session));
	ck_assert(drain_idle_is_away(session));
	dump_remove();
}
END_TEST

/* Where only it writes it never goes away. */
START_TEST(it_stays_where_only_it_writes)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_FULL", "drop", NULL);
	ck_assert(session->idle.stays);
	session->idle.woken_ns = 1; /* long ago */
	drain_idle_woken(session);
	ck_assert(!drain_idle_is_away(session));
	session->idle.n_preemptions--;
	ck_assert(drain_idle_check(session));
	ck_assert(!drain_idle_is_away(session));
	dump_remove();
}
END_TEST

/* What exit_group has to wait for: until each thread has had a processor once more. An ordinary user cannot give a thread its priority back, so
 * none of the recorder's may ever have a lower one than the program. */
START_TEST(no_thread_has_a_low_priority)
{
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 5), 0); /* threads that are made from now on inherit it */
	put_many(SMALL_RECORDS * 100);
	unsigned n_own = 0;
	for (unsigned tries = 0; tries < 1000 && n_own < 1; tries++) {
		DIR *tasks = opendir("/proc/self/task");
		ck_assert_ptr_nonnull(tasks);
		for (struct dirent *task; (task = readdir(tasks));) {
			pid_t tid = atoi(task->d_name);
			char path[300], name[32] = "";
			snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
			FILE *f = fopen(path, "r");
			if (!tid || !f)
				continue;
			if (fgets(name, sizeof name, f) && strncmp(name, "otter-", 6) == 0) {
				n_own++;
				int policy = sched_getscheduler(tid);
				ck_assert(policy == SCHED_OTHER || policy == SCHED_BATCH);
				ck_assert_int_eq(getpriority(PRIO_PROCESS, (id_t)tid), 5);
			}
			fclose(f);
		}
		closedir(tasks);
		usleep(1000);
	}
	ck_assert_uint_ge(n_own, 1);
	session_end("finalize");
	ck_assert_uint_eq(count_numbers(dump_open(session->dir.path, SMALL_SEGMENT), 0), SMALL_RECORDS * 100);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drain_idle");
	TCase *idle = tcase_create("idle");
	tcase_set_timeout(idle, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(idle, threads_write_themselves_while_it_is_away);
	tcase_add_test(idle, flush_is_written_while_it_is_away);
	tcase_add_test(idle, late_one_takes_nothing);
	tcase_add_test(idle, it_goes_away_and_comes_back);
	tcase_add_test(idle, it_stays_where_only_it_writes);
	tcase_add_test(idle, no_thread_has_a_low_priority);
	suite_add_tcase(suite, idle);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
