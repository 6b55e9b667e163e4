/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: the timer's signal between any two instructions of an append, and an append, or the process's death, between any two of its handler;
 * real timers at high rates; the signal, the threads' masks, forks and execs.
 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "recorder/drain.h"
#include "recorder/record.h"
#include "recorder/sample.h"
#include "tests/recorder_dump.h"
#include "tests/recorder_step.h"

#define SMALL_RING    "32K"
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define HEAD          record_head(EVENT_task_schedule, task_status_switch, 0)
#define OWN_ERRNO     1234

enum from { FROM_PROGRAM, FROM_HANDLER }; /* word a: who has put it */

static void put(enum from from, uint64_t number)
{
	record_one(record_time(), HEAD, from, number);
}

/* A session whose timers are too slow to matter. */
static struct session *begin(void)
{
	return dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", "1", NULL);
}

static struct stream *samples_of_thread(void)
{
	return session_stream(session_get(), tls_stream->number | ID_STREAM_SAMPLES);
}

/* Signals come from the test alone. */
static void stop_timer(void)
{
	struct stream *samples = samples_of_thread();
	ck_assert(samples && samples->has_timer);
	ck_assert_int_eq((int)syscall(SYS_timer_delete, samples->timer), 0);
	samples->has_timer = false;
}

/* As the timer would send it. `missed` tells one from the other. */
static siginfo_t expiration(uint64_t missed)
{
	siginfo_t info;
	memset(&info, 0, sizeof info);
	info.si_signo = session_get()->sample_signal;
	info.si_code = SI_TIMER;
	info.si_value.sival_int = (int)tls_stream->number;
	info.si_overrun = (int)missed;
	return info;
}

static void send(uint64_t missed)
{
	siginfo_t info = expiration(missed);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), info.si_signo, &info);
}

/* Calls the handler as a function, so that its instructions are stepped through. */
static __attribute__((noinline)) void call_handler(uint64_t first, uint64_t n)
{
	struct sigaction action;
	sigaction(session_get()->sample_signal, NULL, &action);
	for (uint64_t i = first; i < first + n; i++) {
		siginfo_t info = expiration(i);
		step(true);
		action.sa_sigaction(info.si_signo, &info, NULL);
		step(false);
	}
}

/* ---- What is in the dump ---- */

/* Are the program's records those with the numbers `next`, next + 1 ... up to n? The handler's come in order: how many of these. */
static uint64_t check_records(const struct dump *dump, uint64_t n)
{
	size_t n_records;
	uint64_t next = 0, n_handler = 0;
	struct record *records = dump_records(dump, 0, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		if (record_kind(r) != EVENT_task_schedule)
			continue;
		ck_assert_uint_eq(r->head, HEAD);
		ck_assert_uint_ne(r->time, 0);
		ck_assert_uint_eq(r->b, r->a == FROM_PROGRAM ? next : n_handler);
		next += r->a == FROM_PROGRAM;
		n_handler += r->a == FROM_HANDLER;
	}
	ck_assert_uint_eq(next, n);
	free(records);
	return n_handler;
}

/* How many samples of the stream there are: whole, in the order of time and of `missed`, which starts at 1. UINT64_MAX where they are not. */
static uint64_t count_samples(const struct dump *dump, uint32_t stream)
{
	size_t n_records;
	uint64_t n = 0, last = 0, time = 0;
	struct record *records = dump_records(dump, stream | ID_STREAM_SAMPLES, &n_records);
	for (size_t i = 0; i < n_records; i++) {
		const struct record *r = &records[i];
		if (r->time < time)
			return UINT64_MAX;
		time = r->time;
		if (record_kind(r) == EVENT_thread_attach || record_kind(r) == EVENT_thread_detach ||
		    record_kind(r) == EVENT_records_lost)
			continue;
		bool is_whole =
			record_kind(r) == EVENT_sample && record_value(r) == thread_state_undefined && r->a == 0 && r->b == 0;
		/* Numbered by what was missed, as far as that counts. */
		if (!is_whole || (record_flags(r) <= last && last < RECORD_FLAGS_MASK))
			return UINT64_MAX;
		last = record_flags(r);
		n++;
	}
	free(records);
	return n;
}

/* ---- Between any two instructions ---- */

static enum deed { NOTHING, SAMPLE, PUT, KILL } deed;
static volatile uint64_t n_steps, n_sent, n_puts, step_of_deed;
static volatile bool is_one_waiting;

static void on_trap(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	(void)number;
	(void)info;
	n_steps++;
	switch (deed) {
	case NOTHING: break;
	case SAMPLE: {
		/* Where signals are held one waits; all the others would, too. */
		bool is_held = sigismember(&interrupted->uc_sigmask, session_get()->sample_signal);
		if (!is_held || !is_one_waiting)
			send(++n_sent);
		is_one_waiting = is_held;
		break;
	}
	case PUT: put(FROM_HANDLER, n_puts++); break;
	case KILL:
		if (n_steps == step_of_deed)
			kill(getpid(), SIGKILL);
		break;
	}
}

static void arm(enum deed what)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	deed = what;
	n_steps = 0;
	sigaction(SIGTRAP, &action, NULL);
}

static __attribute__((noinline)) void put_stepping(uint64_t first, uint64_t n)
{
	step(true);
	for (uint64_t i = first; i < first + n; i++)
		put(FROM_PROGRAM, i);
	step(false);
}

/* Of an append and of a segment's end: no record is lost, no sample but those that are counted. */
START_TEST(sampled_everywhere)
{
	const uint64_t n = SMALL_RECORDS + 20;
	struct session *session = begin();
	put(FROM_PROGRAM, 0);
	stop_timer();
	arm(SAMPLE);
	errno = OWN_ERRNO;
	put_stepping(1, n - 1);
	ck_assert_int_eq(errno, OWN_ERRNO);
	ck_assert_uint_gt(n_sent, n * 20);
	ck_assert_uint_eq(session_lost_reentry, 0);
	ck_assert_uint_eq(stream_control(tls_stream)->lost[loss_cause_reentry], 0);
	uint64_t n_lost = stream_control(samples_of_thread())->lost[loss_cause_full];
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(check_records(dump, n), 0);
	uint64_t n_samples = count_samples(dump, 0);
	ck_assert_uint_ge(n_samples, (SAMPLE_SEGMENTS - 1) * SMALL_RECORDS);
	ck_assert_uint_eq(n_samples + n_lost, n_sent);
	dump_remove();
}
END_TEST

/* Of the handler, over the ends of its segments: a handler of the program's that comes on top of it records as ever. */
START_TEST(handler_is_interrupted_everywhere)
{
	const uint64_t n = SMALL_RECORDS * 3;
	struct session *session = begin();
	put(FROM_PROGRAM, 0);
	stop_timer();
	arm(PUT);
	call_handler(1, n);
	ck_assert_uint_gt(n_puts, n * 20);
	ck_assert_uint_eq(session_lost_reentry, 0);
	uint64_t n_lost = stream_control(samples_of_thread())->lost[loss_cause_full];
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(check_records(dump, 1), n_puts);
	ck_assert_uint_eq(count_samples(dump, 0) + n_lost, n);
	dump_remove();
}
END_TEST

/* A process that takes `n_before` samples and is killed behind the k-th instruction of the next one. How many it leaves, how many steps it did. */
static uint64_t kill_at(uint64_t n_before, uint64_t k, uint64_t *steps)
{
	int ends[2], status;
	char dir[PATH_MAX];
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct session *session = begin();
		if (!session || write(ends[1], session->dir, sizeof session->dir) < 0)
			_exit(1);
		put(FROM_PROGRAM, 0);
		syscall(SYS_timer_delete, samples_of_thread()->timer);
		struct sigaction action;
		sigaction(session->sample_signal, NULL, &action);
		for (uint64_t i = 1; i <= n_before; i++) {
			siginfo_t info = expiration(i);
			action.sa_sigaction(info.si_signo, &info, NULL);
		}
		step_of_deed = k;
		arm(k == UINT64_MAX ? NOTHING : KILL);
		call_handler(n_before + 1, 1);
		if (write(ends[1], (const void *)&n_steps, sizeof n_steps) < 0)
			_exit(1);
		kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, SIGKILL);
	ck_assert_int_eq((int)read(ends[0], dir, sizeof dir), sizeof dir);
	if (k == UINT64_MAX)
		ck_assert_int_eq((int)read(ends[0], steps, sizeof *steps), sizeof *steps);
	close(ends[0]);
	struct dump *dump = dump_open(dir, SMALL_SEGMENT);
	ck_assert_uint_eq(check_records(dump, 1), 0);
	uint64_t n_samples = count_samples(dump, 0);
	free(dump);
	strcpy(dump_parent, dir);
	*strrchr(dump_parent, '/') = '\0';
	dump_remove();
	return n_samples;
}

#define ALL_UNTIL 100
#define N_OTHERS  16

/* Within a segment, and at its end: the attach record is the first in it. */
static const uint64_t befores[] = {5, SMALL_RECORDS - 1};

START_TEST(samples_survive_a_kill)
{
	uint64_t n_before = befores[_i], n_steps_done;
	bool is_there = false;
	ck_assert_uint_eq(kill_at(n_before, UINT64_MAX, &n_steps_done), n_before + 1);
	ck_assert_uint_gt(n_steps_done, 20);
	for (uint64_t k = 1; k <= n_steps_done; k += k < ALL_UNTIL ? 1 : 1 + n_steps_done / N_OTHERS) {
		uint64_t found = kill_at(n_before, k, NULL);
		ck_assert_uint_ge(found, is_there ? n_before + 1 : n_before);
		ck_assert_uint_le(found, n_before + 1);
		is_there = found > n_before;
	}
}
END_TEST

/* ---- Without anybody who writes them ---- */

static void end_drain_thread(struct session *session)
{
	__atomic_store_n(&session->must_drain_end, 1, __ATOMIC_RELAXED);
	drain_wake(session);
	ck_assert_int_eq(pthread_join(session->drain_thread, NULL), 0);
	session->is_drain_running = 0;
}

START_TEST(full_ring_drops_and_counts)
{
	const uint64_t room = SAMPLE_SEGMENTS * SMALL_RECORDS - 1, n = room + 500; /* but for the attach record */
	char line[64];
	struct session *session = begin();
	put(FROM_PROGRAM, 0);
	stop_timer();
	end_drain_thread(session);
	for (uint64_t i = 1; i <= n; i++)
		send(i);
	ck_assert_uint_eq(stream_control(samples_of_thread())->lost[loss_cause_full], n - room);
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_samples(dump, 0), room);
	ck_assert_uint_eq(check_records(dump, 1), 0);
	ck_assert_uint_eq(dump->n_rings, 0);
	char *meta = dump_meta(session->dir);
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

static uint64_t n_samples_of(struct stream *samples)
{
	uint64_t position = __atomic_load_n(&stream_control(samples)->position, __ATOMIC_RELAXED);
	uint32_t offset = stream_offset(samples, position);
	return __atomic_load_n(&samples->n_records, __ATOMIC_RELAXED) +
	       (offset ? (offset - sizeof(struct segment_header)) / sizeof(struct record) : 0);
}

/* Records until so many samples have come. */
static void *record_for_long(void *argument)
{
	struct result *result = argument;
	put(FROM_PROGRAM, result->n_records++);
	struct stream *samples = samples_of_thread();
	uint64_t *n_lost = &stream_control(samples)->lost[loss_cause_full];
	pthread_barrier_wait(&all_have_streams);
	errno = OWN_ERRNO;
	while (n_samples_of(samples) + __atomic_load_n(n_lost, __ATOMIC_RELAXED) < result->n_wanted) {
		put(FROM_PROGRAM, result->n_records++);
		for (volatile unsigned i = 0; i < 1000; i++)
			; /* or it would be gigabytes */
	}
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
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
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

/* ---- The signal ---- */

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
	ck_assert_int_eq(session->sample_signal, SIGRTMAX - 2);
	ck_assert(has_handler(SIGRTMAX));
	dump_remove();
}
END_TEST

START_TEST(without_a_free_signal_nothing_is_sampled)
{
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, ignore);
	struct session *session = begin();
	ck_assert_int_eq(session->sample_signal, 0);
	put(FROM_PROGRAM, 0);
	ck_assert_ptr_null(samples_of_thread());
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		ck_assert(has_handler(number));
	session_end("finalize");
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(check_records(dump, 1), 0);
	ck_assert_ptr_nonnull(strstr(dump_meta(session->dir), "\nnote OTTER_SAMPLE: "));
	ck_assert_ptr_null(strstr(dump_meta(session->dir), "\nsampling "));
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
	ck_assert_uint_eq(session->is_drain_started, 0);
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
		raise(session->sample_signal);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(WTERMSIG(status), session->sample_signal);
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
	int number = session_get()->sample_signal;
	sigset_t all;
	(void)argument;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	put(FROM_PROGRAM, 0);
	stop_timer();
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
	struct dump *dump = dump_open(session->dir, SMALL_SEGMENT);
	ck_assert_uint_eq(count_samples(dump, 0), 1);
	dump_remove();
}
END_TEST

START_TEST(timer_goes_with_its_thread)
{
	struct itimerspec left;
	begin();
	put(FROM_PROGRAM, 0);
	int timer = samples_of_thread()->timer;
	ck_assert_int_eq((int)syscall(SYS_timer_gettime, timer, &left), 0);
	ck_assert_int_eq((int)left.it_interval.tv_sec, 1);
	sample_end(tls_stream);
	ck_assert_int_eq((int)syscall(SYS_timer_gettime, timer, &left), -1);
	session_end("finalize");
	dump_remove();
}
END_TEST

/* What comes for a stream that is somebody else's, or nobody's, is not taken: it was under way when the thread gave the stream back. */
START_TEST(late_signal_is_ignored)
{
	begin();
	put(FROM_PROGRAM, 0);
	stop_timer();
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

/* ---- Other processes ---- */

/* The child has the handler but no timer; with its own session comes a timer of its own, and samples into its own dump. */
START_TEST(child_is_sampled_for_itself)
{
	int status;
	struct session *session = dump_begin("OTTER_RING", SMALL_RING, "OTTER_SAMPLE", "1000", NULL);
	put(FROM_PROGRAM, 0);
	stop_timer();
	pid_t child = fork();
	if (child == 0) {
		put(FROM_PROGRAM, 0);
		bool is_own = session_get() && session_get() != session && session_get()->sample_signal == session->sample_signal;
		while (is_own && n_samples_of(samples_of_thread()) < 10)
			;
		session_end("finalize");
		_exit(is_own ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(n_samples_of(samples_of_thread()), 1);
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

static bool can_step(void)
{
	arm(NOTHING);
	step(true);
	step(false);
	return n_steps > 0;
}

int main(void)
{
	Suite *suite = suite_create("sample");
	TCase *stepping = tcase_create("stepping");
	tcase_set_timeout(stepping, 120);
	if (can_step()) {
		tcase_add_test(stepping, sampled_everywhere);
		tcase_add_test(stepping, handler_is_interrupted_everywhere);
#ifndef __SANITIZE_ADDRESS__ /* a process takes its time there, and has other instructions */
		tcase_add_loop_test(stepping, samples_survive_a_kill, 0, sizeof befores / sizeof *befores);
#else
		(void)samples_survive_a_kill;
#endif
	} else { /* another architecture, or a debugger that steps itself */
		printf("skip sample/stepping: the processor does not stop behind each instruction\n");
	}
	suite_add_tcase(suite, stepping);
	TCase *timers = tcase_create("timers");
	tcase_set_timeout(timers, 120);
	tcase_add_test(timers, full_ring_drops_and_counts);
	tcase_add_test(timers, threads_are_sampled_as_they_record);
	tcase_add_test(timers, threads_are_sampled_by_their_own_time);
	tcase_add_test(timers, child_is_sampled_for_itself);
	tcase_add_test(timers, exec_leaves_nothing);
	suite_add_tcase(suite, timers);
	TCase *signals = tcase_create("signals");
	tcase_add_test(signals, no_handler_is_replaced);
	tcase_add_test(signals, without_a_free_signal_nothing_is_sampled);
	tcase_add_test(signals, unset_does_nothing);
	tcase_add_test(signals, foreign_signal_kills);
	tcase_add_test(signals, blocked_thread_is_sampled);
	tcase_add_test(signals, timer_goes_with_its_thread);
	tcase_add_test(signals, late_signal_is_ignored);
	suite_add_tcase(suite, signals);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
