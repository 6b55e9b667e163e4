/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Context switches: what the kernel records of threads that sleep, of more threads than there is memory for, of forked
 * children, and what takes its place where the kernel refuses.
 */
#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "recorder/processor_time.h"
#include "recorder/record.h"
#include "recorder/switches.h"
#include "recorder/watch.h"
#include "tests/unit/small_ring.h"

#define MS UINT64_C(1000000)

/* What a dump's stream of switches has of one stream, or of all (ALL). */
#define ALL UINT32_MAX
struct found {
	unsigned n_groups, n_first;
	unsigned n_times;   /* processor_time records */
	unsigned n_looks;   /* switches_read records */
	unsigned n_off[5];  /* by off_why */
	uint64_t off_ns[5]; /* of stretches that are over */
	uint64_t n_lost;
	uint64_t running_ns; /* the largest */
	unsigned n_disordered;
};

static struct found find(const char *dir, uint32_t stream)
{
	struct found found = {0};
	size_t n_records;
	struct dump *dump = dump_open(dir, SMALL_SEGMENT);
	struct record *records = dump_records(dump, ID_STREAM_SWITCHES, &n_records);
	bool is_wanted = false;
	uint64_t last_ns = 0;
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		unsigned kind = record_kind(r), why = record_flags(r);
		if (kind == EVENT_switches) {
			is_wanted = stream == ALL || low32(record_value(r)) == stream;
			found.n_groups += is_wanted;
			found.n_first += is_wanted && why;
			found.n_disordered += is_wanted && (r->a > r->b || r->a < last_ns) && stream != ALL && !why;
			last_ns = is_wanted ? r->a : last_ns;
		} else if (kind == EVENT_off && is_wanted && why < 5) {
			found.n_off[why]++;
			found.off_ns[why] += r->a ? r->a - r->time : 0;
			found.n_lost += high32(r->b);
		} else if (kind == EVENT_processor_time && (stream == ALL || low32(record_value(r)) == stream)) {
			found.n_times++;
			found.running_ns = r->a > found.running_ns ? r->a : found.running_ns;
		} else if (kind == EVENT_switches_read) {
			found.n_looks++;
		}
	}
	free(records);
	return found;
}

static struct session *begin(void)
{
	return dump_begin("OTTER_EVENTS", "default", "OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", NULL);
}

/* Does the kernel let this process record switches? Where it does not, the tests of what it records expect sums. */
static bool is_allowed(const struct session *session)
{
	return !session->has_no_switches;
}

START_TEST(a_sleep_is_a_stretch_without_a_processor)
{
	struct session *session = begin();
	put(0);
	for (int i = 0; i < 3; i++)
		usleep(20000);
	put(1);
	session_end("finalize");
	struct found found = find(session->dir, 0);
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
		session->looked_ns = 0;
		switches_look(session, NULL);
	}
	struct found asleep = find(session->dir, 0);
	pthread_join(thread, NULL);
	session_end("finalize");
	struct found found = find(session->dir, 0);
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
	session->looked_ns = 0;
	switches_look(session, NULL);
	for (int i = 0; i < 3; i++)
		usleep(1);
	session_end("finalize");
	struct found found = find(session->dir, 0);
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
	session->looked_ns = 0;
	switches_look(session, NULL);
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
	switches_look(session, stream);
	ck_assert_ptr_null(memory->page);
	stream->switches.resume_ns = 0;
	switches_look(session, stream);
	if (memory->page) { /* or somebody else has the memory now */
		ck_assert(!memory->is_paused);
		ck_assert_uint_gt(session->soon_until_ns, 0);
		usleep(20000);
		stream->switches.resume_ns = clock_ns(CLOCK_MONOTONIC);
		switch_often(session);
		ck_assert(memory->is_paused);
		ck_assert_uint_eq(memory->pause_ns, 2 * first_pause_ns);
	}
	usleep(10000);
	session_end("finalize");
	ck_assert(!memory->is_paused);
	struct found found = find(session->dir, 0);
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
		ck_assert(session->has_watch);
		uint64_t slept_ns = sleep_inside(tls_stream);
		ck_assert_uint_ge(tls_stream->n_marks, 1);
		usleep(300000);
		put(1);
		session_end("finalize");
		watch_end(session);
		struct found found = find(session->dir, 0);
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
		struct found found = find(session->dir, 0);
		ck_assert_uint_eq(found.n_off[off_why_stalled], 0);
		ck_assert_uint_ge(found.off_ns[off_why_blocked], 600 * MS);
	}
	dump_remove();
}
END_TEST

#define CROWD 600
static pthread_barrier_t all_are_there;
static void *one_of_many(void *argument)
{
	put(0);
	pthread_barrier_wait(&all_are_there);
	put(1);
	return argument;
}

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
	struct found found = find(session->dir, ALL);
	char *meta = dump_meta(session->dir);
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
	struct found found = find(session->dir, 0);
	char *meta = dump_meta(session->dir);
	ck_assert(session->has_no_switches);
	ck_assert_uint_eq(found.n_groups, 0);
	ck_assert_uint_ge(found.n_times, 1);
	ck_assert_uint_gt(found.running_ns, 0);
	ck_assert_ptr_nonnull(strstr(meta, "does not let this process record context switches"));
	free(meta);
	dump_remove();
}
END_TEST

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
		struct found own = find(session_get()->dir, 0);
		bool is_good = session_get() != session && own.n_first + own.n_times > 0;
		_exit(is_good ? 0 : 1);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	session_end("finalize");
	struct found found = find(session->dir, 0);
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
		session->looked_ns = 0;
		switches_look(session, NULL);
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
	struct found found = find(session->dir, 1);
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
	session->looked_ns = 0;
	switches_look(session, NULL);
	ck_assert_ptr_null(memory->page);
	ck_assert_uint_eq(memory->left_ns, 0);
	ck_assert_uint_eq(memory->is_paused, is_allowed(session));
	pthread_barrier_init(&all_are_there, NULL, 1);
	pthread_create(&thread, NULL, one_of_many, NULL);
	pthread_join(thread, NULL);
	ck_assert(!memory->is_paused);
	session_end("finalize");
	ck_assert_uint_eq(session_n_streams(session), 2);
	struct found found = find(session->dir, 1);
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
	ck_assert_uint_eq(session->is_drain_started, 0);
	session_end("finalize");
	dump_remove();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("switches");
	TCase *kernel = tcase_create("kernel");
	tcase_set_timeout(kernel, 120);
	tcase_add_test(kernel, a_sleep_is_a_stretch_without_a_processor);
	tcase_add_test(kernel, a_look_finds_a_thread_asleep);
	tcase_add_test(kernel, a_full_memory_is_told);
	tcase_add_test(kernel, too_many_are_not_recorded_for_a_while);
	tcase_add_test(kernel, a_wait_inside_of_an_append_is_a_stall);
	tcase_add_test(kernel, other_waits_are_no_stalls);
	tcase_add_test(kernel, a_crowd_has_not_memory_for_all);
	tcase_add_test(kernel, where_the_kernel_refuses_sums_are_recorded);
	suite_add_tcase(suite, kernel);
	TCase *turns = tcase_create("turns");
	tcase_set_timeout(turns, 120);
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
