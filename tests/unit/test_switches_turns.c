/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Context switches where the memory for them goes from one to the next: forked children, threads that take the stream of one
 * that has ended, and a thread that finds another one copying.
 */
#include <check.h>
#include <sys/wait.h>

#include "recorder/kernel/switches.h"
#include "tests/unit/recorded_switches.h"

/* A child has none of its parent's memory. What it records is its own. */
START_TEST(a_child_records_its_own)
{
	struct session *session = begin();
	put(0);
	pid_t child = fork();
	if (child == 0) {
		usleep(1000);
		put(0);
		session_end("finalize");
		struct found own = find(session_get()->dir.path, 0);
		bool is_good = session_get() != session && own.n_first + own.n_times > 0;
		_exit(is_good ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_end("finalize");
	struct found found = find(session->dir.path, 0);
	ck_assert_uint_eq(found.n_first + (found.n_times > 0), 1);
	dump_remove();
}
END_TEST

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
/* A child of _Fork goes on in its parent's session: it must not touch the memory that it does not have. */
START_TEST(a_child_without_handlers_does_not_look)
{
	struct session *session = begin();
	put(0);
	pid_t child = _Fork();
	if (child == 0) {
		session->switches.last_ns = 0;
		switches_poll(session, NULL);
		switches_end(session_stream(session, 0));
		_exit(0);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_end("finalize");
	dump_remove();
}
END_TEST
#endif

/* The next thread that takes a stream has memory of its own, and gives it back. */
START_TEST(threads_in_turn_share_a_stream)
{
	struct session *session = begin();
	put(0);
	for (int i = 0; i < 5; i++) {
		pthread_t thread;
		pthread_barrier_init(&all_are_there, NULL, 1);
		pthread_create(&thread, NULL, one_of_many, NULL);
		pthread_join(thread, NULL);
	}
	session_end("finalize");
	struct found found = find(session->dir.path, 1);
	ck_assert_uint_eq(session_n_streams(session), 2);
	ck_assert_uint_eq(is_allowed(session) ? found.n_first : found.n_times, 5);
	dump_remove();
}
END_TEST

/* Another thread is copying: nobody waits, and nothing breaks. What the second thread did is not known, as the memory was
 * still the first one's. */
START_TEST(nobody_waits_for_who_copies)
{
	struct session *session = begin();
	put(0);
	struct stream *switches = session_stream(session, ID_STREAM_SWITCHES);
	ck_assert(stream_own(switches, 42));
	pthread_t thread;
	for (int i = 0; i < 2; i++) {
		pthread_barrier_init(&all_are_there, NULL, 1);
		pthread_create(&thread, NULL, one_of_many, NULL);
		pthread_join(thread, NULL);
	}
	stream_disown(switches);
	const struct switch_memory *memory = &session_stream(session, 1)->switches;
	ck_assert_uint_eq(memory->left_ns != 0, is_allowed(session));
	session->switches.last_ns = 0;
	switches_poll(session, NULL);
	ck_assert_ptr_null(memory->page);
	ck_assert_uint_eq(memory->left_ns, 0);
	ck_assert_uint_eq(memory->is_paused, is_allowed(session));
	pthread_barrier_init(&all_are_there, NULL, 1);
	pthread_create(&thread, NULL, one_of_many, NULL);
	pthread_join(thread, NULL);
	ck_assert(!memory->is_paused);
	session_end("finalize");
	ck_assert_uint_eq(session_n_streams(session), 2);
	struct found found = find(session->dir.path, 1);
	ck_assert_uint_eq(found.n_first, is_allowed(session) ? 2 : 0);                /* the first one's, and the third one's */
	ck_assert_uint_eq(found.n_off[off_why_unknown], is_allowed(session) ? 2 : 0); /* until the look, and to the third's begin */
	ck_assert_uint_eq(found.n_disordered, 0);
	dump_remove();
}
END_TEST

/* Where the group is not selected, nothing is done. */
START_TEST(unselected_there_is_nothing)
{
	struct session *session = dump_begin("OTTER_EVENTS", "-switch", "OTTER_RING", SMALL_RING, NULL);
	put(0);
	ck_assert_ptr_null(session_stream(session, ID_STREAM_SWITCHES));
	ck_assert_ptr_null(session_stream(session, 0)->switches.page);
	ck_assert_uint_eq(session->drain.is_started, 0);
	session_end("finalize");
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("switches_turns");
	TCase *turns = tcase_create("turns");
	tcase_set_timeout(turns, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(turns, a_child_records_its_own);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
	tcase_add_test(turns, a_child_without_handlers_does_not_look);
#endif
	tcase_add_test(turns, threads_in_turn_share_a_stream);
	tcase_add_test(turns, nobody_waits_for_who_copies);
	tcase_add_test(turns, unselected_there_is_nothing);
	suite_add_tcase(suite, turns);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
