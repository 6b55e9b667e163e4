/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: which signal is taken and which is not, what comes for somebody else or too late, threads that have it blocked.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "recorder/kernel/sample.h"
#include "tests/unit/recorder_sample.h"

static void ignore(int number)
{
	(void)number;
}

static bool has_handler(int number)
{
	struct sigaction action;
	sigaction(number, NULL, &action);
	return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == ignore;
}

START_TEST(no_handler_is_replaced)
{
	signal(SIGRTMAX, ignore);
	signal(SIGRTMAX - 1, SIG_IGN);
	struct session *session = begin();
	ck_assert_int_eq(session->samples.signal, SIGRTMAX - 2);
	ck_assert(has_handler(SIGRTMAX));
	dump_remove();
}
END_TEST

START_TEST(without_a_free_signal_nothing_is_sampled)
{
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, ignore);
	struct session *session = begin();
	ck_assert_int_eq(session->samples.signal, 0);
	put(FROM_PROGRAM, 0);
	ck_assert_ptr_null(samples_of_thread());
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		ck_assert(has_handler(number));
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(check_records(dump, 1), 0);
	ck_assert_ptr_nonnull(strstr(dump_meta(session->dir.path), "\nnote OTTER_SAMPLE: "));
	ck_assert_ptr_null(strstr(dump_meta(session->dir.path), "\nsampling "));
	dump_remove();
}
END_TEST

/* No signal is taken, no thread started, no ring made. */
START_TEST(unset_does_nothing)
{
	unsetenv("OTTER_SAMPLE");
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, NULL);
	put(FROM_PROGRAM, 0);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction action;
		ck_assert_int_eq(sigaction(number, NULL, &action), 0);
		ck_assert(action.sa_handler == SIG_DFL);
	}
	ck_assert_ptr_null(samples_of_thread());
	ck_assert_uint_eq(session->drain.is_started, 0);
	dump_remove();
}
END_TEST

/* Somebody else's signal of that number does what it would do without us. */
START_TEST(foreign_signal_kills)
{
	int status;
	struct session *session = begin();
	put(FROM_PROGRAM, 0);
	pid_t child = fork();
	if (child == 0) {
		raise(session->samples.signal);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), session->samples.signal);
	dump_remove();
}
END_TEST

static bool is_blocked(int number)
{
	sigset_t now;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

/* A thread that has everything blocked is sampled all the same, and has everything blocked again afterwards. */
static void *record_blocked(void *argument)
{
	int number = session_get()->samples.signal;
	sigset_t all;
	(void)argument;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	put(FROM_PROGRAM, 0);
	stop_timers();
	ck_assert(!is_blocked(number));
	ck_assert(is_blocked(number - 1));
	send(1);
	struct stream *samples = samples_of_thread();
	ck_assert_uint_eq(n_samples_of(samples), 2);
	tls_stream->is_busy = true;
	stream_release(tls_stream, clock_ticks());
	ck_assert(is_blocked(number));
	ck_assert_uint_eq(samples->owner, STREAM_FREE);
	return NULL;
}

START_TEST(blocked_thread_is_sampled)
{
	pthread_t thread;
	struct session *session = begin();
	ck_assert_int_eq(pthread_create(&thread, NULL, record_blocked, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
	ck_assert_uint_eq(count_samples(dump, 0), 1);
	dump_remove();
}
END_TEST

/* They take turns: a second is twice that of each. */
START_TEST(timers_go_with_their_thread)
{
	struct itimerspec left;
	int timers[SAMPLE_TIMERS];
	begin();
	put(FROM_PROGRAM, 0);
	ck_assert_uint_eq(samples_of_thread()->n_timers, SAMPLE_TIMERS);
	for (unsigned i = 0; i < SAMPLE_TIMERS; i++) {
		timers[i] = samples_of_thread()->timers[i];
		ck_assert_int_eq((int)syscall(SYS_timer_gettime, timers[i], &left), 0);
		ck_assert_int_eq((int)left.it_interval.tv_sec, SAMPLE_TIMERS);
	}
	sample_end(tls_stream);
	for (unsigned i = 0; i < SAMPLE_TIMERS; i++)
		ck_assert_int_eq((int)syscall(SYS_timer_gettime, timers[i], &left), -1);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* What comes for a stream that is somebody else's, or nobody's, is not taken: it was under way when the thread gave the stream back. */
START_TEST(late_signal_is_ignored)
{
	begin();
	put(FROM_PROGRAM, 0);
	stop_timers();
	siginfo_t info = expiration(1), wild = expiration(2);
	wild.si_value.sival_int = -1;
	struct stream *samples = samples_of_thread();
	sample_end(tls_stream);
	uint64_t n = n_samples_of(samples);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &info);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &wild);
	samples->owner = stream_self() + 1;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &info);
	ck_assert_uint_eq(n_samples_of(samples), n);
	samples->owner = STREAM_FREE;
	session_end("finalize");
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sample_signal");
	TCase *signals = tcase_create("signals");
	tcase_add_test(signals, no_handler_is_replaced);
	tcase_add_test(signals, without_a_free_signal_nothing_is_sampled);
	tcase_add_test(signals, unset_does_nothing);
	tcase_add_test(signals, foreign_signal_kills);
	tcase_add_test(signals, blocked_thread_is_sampled);
	tcase_add_test(signals, timers_go_with_their_thread);
	tcase_add_test(signals, late_signal_is_ignored);
	suite_add_tcase(suite, signals);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
