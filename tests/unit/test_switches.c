/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Context switches: what the kernel records of threads that sleep, of one that switches very often, of more threads
 * than there is memory for, and what takes its place where the kernel refuses.
 */
#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "recorder/drain/watch.h"
#include "recorder/kernel/processor_time.h"
#include "recorder/kernel/switches.h"
#include "tests/unit/recorded_switches.h"

START_TEST(a_sleep_is_a_stretch_without_a_processor)
{
	struct session *session = begin();
	put(0);
	for (int i = 0; i < 3; i++)
		usleep(20000);
	put(1);
	session_end("finalize");
	struct found found = find(session->dir.path, 0);
	if (is_allowed(session)) {
		ck_assert_uint_ge(found.n_off[off_why_blocked], 3);
		ck_assert_uint_ge(found.off_ns[off_why_blocked], 60 * MS);
		ck_assert_uint_eq(found.n_first, 1);
		ck_assert_uint_eq(found.n_times, 0);
		ck_assert_uint_eq(found.n_lost, 0);
	} else {
		ck_assert_uint_ge(found.n_times, 1);
	}
	ck_assert_uint_ge(found.n_looks, 1);
	dump_remove();
}
END_TEST

/* A stretch that is not over is copied as such, once, and again when it is over. */
static volatile bool is_asleep;
static void *sleeper(void *argument)
{
	put(0);
	is_asleep = true;
	usleep(200000);
	return argument;
}

START_TEST(a_look_finds_a_thread_asleep)
{
	struct session *session = begin();
	pthread_t thread;
	pthread_create(&thread, NULL, sleeper, NULL);
	while (!is_asleep)
		usleep(1000);
	usleep(50000);
	for (int i = 0; i < 3; i++) {
		session->switches.last_ns = 0;
		switches_poll(session, NULL);
	}
	struct found asleep = find(session->dir.path, 0);
	pthread_join(thread, NULL);
	session_end("finalize");
	struct found found = find(session->dir.path, 0);
	if (is_allowed(session)) {
		ck_assert_uint_eq(asleep.n_groups, 1);
		ck_assert_uint_eq(asleep.n_off[off_why_blocked], 1);
		ck_assert_uint_eq(asleep.off_ns[off_why_blocked], 0);
		ck_assert_uint_ge(found.off_ns[off_why_blocked], 200 * MS);
		ck_assert_uint_eq(found.n_disordered, 0);
	}
	dump_remove();
}
END_TEST

/* More switches than there is memory for: the kernel counts them, and that stretch is not known. */
START_TEST(a_full_memory_is_told)
{
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, 0});
	struct session *session = begin();
	put(0);
	for (int i = 0; i < 1000; i++)
		usleep(1);
	session_stream(session, 0)->switches.from_ns -= 1000 * MS; /* as if it had taken longer: no reason for a pause */
	session->switches.last_ns = 0;
	switches_poll(session, NULL);
	for (int i = 0; i < 3; i++)
		usleep(1);
	session_end("finalize");
	struct found found = find(session->dir.path, 0);
	if (is_allowed(session) && found.n_groups > 0) {
		ck_assert_uint_ge(found.n_off[off_why_unknown], 1);
		ck_assert_uint_gt(found.n_lost, 0);
		ck_assert_uint_eq(found.n_disordered, 0);
	} else {
		ck_assert_uint_ge(found.n_times, 1);
	}
	dump_remove();
}
END_TEST

/* More than 10,000 a second, as if within 20 ms, and a look at them. */
static void switch_often(struct session *session)
{
	for (int i = 0; i < 500; i++)
		usleep(1);
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC) - 20 * MS;
	struct switch_memory *memory = &session_stream(session, 0)->switches;
	memory->from_ns = memory->from_ns > begin_ns ? memory->from_ns : begin_ns;
	session->switches.last_ns = 0;
	switches_poll(session, NULL);
}

/* Of a thread that switches too often nothing is recorded for a while, and it is told that nothing is known. */
START_TEST(too_many_are_not_recorded_for_a_while)
{
	struct session *session = begin();
	put(0);
	struct stream *stream = session_stream(session, 0);
	const struct switch_memory *memory = &stream->switches;
	if (!is_allowed(session) || !memory->page || memory->n_pages < 4) {
		session_end("finalize");
		dump_remove();
		return;
	}
	switch_often(session);
	ck_assert(memory->is_paused);
	ck_assert_ptr_null(memory->page);
	uint64_t first_pause_ns = memory->pause_ns;
	usleep(30000);
	stream->switches.resume_ns = UINT64_MAX; /* it is too early */
	switches_poll(session, stream);
	ck_assert_ptr_null(memory->page);
	stream->switches.resume_ns = 0;
	switches_poll(session, stream);
	if (memory->page) { /* or somebody else has the memory now */
		ck_assert(!memory->is_paused);
		ck_assert_uint_gt(session->switches.fast_until_ns, 0);
		usleep(20000);
		stream->switches.resume_ns = clock_ns(CLOCK_MONOTONIC);
		switch_often(session);
		ck_assert(memory->is_paused);
		ck_assert_uint_eq(memory->pause_ns, 2 * first_pause_ns);
	}
	usleep(10000);
	session_end("finalize");
	ck_assert(!memory->is_paused);
	struct found found = find(session->dir.path, 0);
	ck_assert_uint_ge(found.off_ns[off_why_unknown], 40 * MS);
	ck_assert_uint_ge(found.off_ns[off_why_blocked], 20 * MS);
	ck_assert_uint_eq(found.n_disordered, 0);
	dump_remove();
}
END_TEST

/* Sleeps inside of an append, as if the store waited, until the watch has noticed it; not longer than ten seconds. */
static uint64_t sleep_inside(struct stream *stream)
{
	uint64_t slept_ns = 0;
	for (int i = 0; i < 20 && stream->n_marks == 0; i++) {
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
		ck_assert_ptr_eq(record_enter(clock_ticks()), stream);
		usleep(500000);
		record_leave(stream);
		slept_ns += clock_ns(CLOCK_MONOTONIC) - begin_ns;
	}
	return slept_ns;
}

START_TEST(a_wait_inside_of_an_append_is_a_stall)
{
	struct session *session = begin();
	put(0);
	usleep(300000);
	if (is_allowed(session)) {
		ck_assert(watch_start(session));
		ck_assert(session->watch.has_thread);
		uint64_t slept_ns = sleep_inside(tls_stream);
		ck_assert_uint_ge(tls_stream->n_marks, 1);
		usleep(300000);
		put(1);
		session_end("finalize");
		watch_end(session);
		struct found found = find(session->dir.path, 0);
		ck_assert_uint_ge(found.n_off[off_why_stalled], 1);
		ck_assert_uint_ge(found.off_ns[off_why_stalled], 400 * MS);
		ck_assert_uint_le(found.off_ns[off_why_stalled], slept_ns);
		ck_assert_uint_ge(found.off_ns[off_why_blocked], 600 * MS);
	}
	dump_remove();
}
END_TEST

/* A segment that the thread writes itself is counted where it is written; an append that was left by longjmp never ends. */
START_TEST(other_waits_are_no_stalls)
{
	struct session *session = begin();
	put(0);
	if (is_allowed(session)) {
		ck_assert(watch_start(session));
		ck_assert_ptr_eq(record_enter(clock_ticks()), tls_stream);
		tls_stream->is_writing = true;
		usleep(300000);
		tls_stream->is_writing = false;
		put(1);
		ck_assert_uint_eq(sum_lost(session, loss_cause_reentry), 1);
		usleep(300000);
		record_leave(tls_stream);
		session_end("finalize");
		watch_end(session);
		struct found found = find(session->dir.path, 0);
		ck_assert_uint_eq(found.n_off[off_why_stalled], 0);
		ck_assert_uint_ge(found.off_ns[off_why_blocked], 600 * MS);
	}
	dump_remove();
}
END_TEST

#define CROWD 600

/* An ordinary user without memory to lock: of threads without such memory there are sums. */
START_TEST(a_crowd_has_not_memory_for_all)
{
	setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){0, 0});
	if (geteuid() == 0 && (syscall(SYS_setresgid, 65534, 65534, 65534) || syscall(SYS_setresuid, 65534, 65534, 65534)))
		ck_abort();
	struct session *session = begin();
	pthread_t threads[CROWD];
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all_are_there, NULL, CROWD);
	for (int i = 0; i < CROWD; i++)
		ck_assert_int_eq(pthread_create(&threads[i], &small, one_of_many, NULL), 0);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	session_end("finalize");
	struct found found = find(session->dir.path, ALL);
	char *meta = dump_meta(session->dir.path);
	ck_assert_uint_ge(found.n_first + found.n_times, CROWD);
	if (found.n_times > 0)
		ck_assert_ptr_nonnull(strstr(meta, "\nnote "));
	free(meta);
	dump_remove();
}
END_TEST

/* As a container's filter does. */
static void forbid_perf(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* The kernel may count a thread's time on a processor at its ticks only: works until that has changed. */
static void work_until_counted(void)
{
	uint64_t before_ns, now_ns, waiting_ns, tid = (uint64_t)syscall(SYS_gettid);
	ck_assert(processor_time_of(tid, &before_ns, &waiting_ns));
	do
		ck_assert(processor_time_of(tid, &now_ns, &waiting_ns));
	while (now_ns < before_ns + 1000000);
}

START_TEST(where_the_kernel_refuses_sums_are_recorded)
{
	forbid_perf();
	struct session *session = begin();
	put(0);
	work_until_counted();
	put(1);
	session_end("finalize");
	struct found found = find(session->dir.path, 0);
	char *meta = dump_meta(session->dir.path);
	ck_assert(session->switches.is_refused);
	ck_assert_uint_eq(found.n_groups, 0);
	ck_assert_uint_ge(found.n_times, 1);
	ck_assert_uint_gt(found.running_ns, 0);
	ck_assert_ptr_nonnull(strstr(meta, "does not let this process record context switches"));
	free(meta);
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("switches");
	TCase *kernel = tcase_create("kernel");
	tcase_set_timeout(kernel, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(kernel, a_sleep_is_a_stretch_without_a_processor);
	tcase_add_test(kernel, a_look_finds_a_thread_asleep);
	tcase_add_test(kernel, a_full_memory_is_told);
	tcase_add_test(kernel, too_many_are_not_recorded_for_a_while);
	tcase_add_test(kernel, a_wait_inside_of_an_append_is_a_stall);
	tcase_add_test(kernel, other_waits_are_no_stalls);
	tcase_add_test(kernel, a_crowd_has_not_memory_for_all);
	tcase_add_test(kernel, where_the_kernel_refuses_sums_are_recorded);
	suite_add_tcase(suite, kernel);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed == 0 ? 0 : 1;
}
