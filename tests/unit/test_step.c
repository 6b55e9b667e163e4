/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The append between any two of its instructions: the processor stops behind each one (the trap flag of x86-64), and there a signal handler
 * appends too, or forks, or turns recording, or the process is killed. What chance would have to hit is tried at every place there is.
 */
#include <check.h>
#include <signal.h>
#include <sys/wait.h>

#include "recorder/ring/record.h"
#include "tests/recorder_dump.h"
#include "tests/recorder_step.h"

#define SMALL_RING    "32K"
#define SMALL_SEGMENT UINT64_C(4096)
#define SMALL_RECORDS ((SMALL_SEGMENT - sizeof(struct segment_header)) / sizeof(struct record))
#define HEAD          record_head(EVENT_task_schedule, task_status_switch, 0)

/* Where a record takes thousands of instructions (it makes a stream, or ends a segment) the first are all tried, and so many of the others. */
#define ALL_UNTIL 60
#define N_OTHERS  16

enum from { FROM_PROGRAM, FROM_HANDLER }; /* word a: who has put it */
enum deed { NOTHING, PUT, TURN, LOOK, FORK, KILL };

static enum deed deed;
static uint64_t first_step, last_step; /* where it is done */
static volatile uint64_t n_steps, n_puts, n_held;
static volatile bool is_forked_badly, is_forked; /* is_forked: this is the handler's child */

static void put(enum from from, uint64_t number)
{
	record_one(record_time(), HEAD, from, number);
}

static void fork_and_wait(void)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		is_forked = true;
	else if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		is_forked_badly = true;
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	n_steps++;
	if (n_steps < first_step)
		return;
	if (n_steps >= last_step)
		step_no_more(context);
	if (n_steps > last_step)
		return; /* the recorder had read the flag just before the last step, and has set it again (away.c) */
	switch (deed) {
	case NOTHING: break;
	case PUT: put(FROM_HANDLER, ++n_puts); break;
	case TURN: session_turn(0, 0); break;
	case LOOK: n_held += (uint64_t)sigismember(&((ucontext_t *)context)->uc_sigmask, SIGUSR1); break;
	case FORK: fork_and_wait(); break;
	case KILL: kill(getpid(), SIGKILL);
	}
}

/* Numbers from `first` on, and the deed at these instructions. */
static __attribute__((noinline)) void put_stepping(uint64_t first, uint64_t n, enum deed what, uint64_t from_step, uint64_t to_step)
{
	struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	deed = what;
	first_step = from_step;
	last_step = to_step;
	sigaction(SIGTRAP, &action, NULL);
	step(true);
	for (uint64_t i = first; i < first + n; i++)
		put(FROM_PROGRAM, i);
	step(false);
}

static const char *pack = "off";

static struct session *begin(void)
{
	return dump_begin("OTTER_RING", SMALL_RING, "OTTER_DRAIN", "self", "OTTER_PACK", pack, NULL);
}

/* Up to which number the program's records are in stream 0, which must be `next`, next + 1 ...; UINT64_MAX where they are not. `*n_handler`: how
 * many of the handler's, which must come in order. */
static uint64_t count(const char *dir, uint64_t next, uint64_t *n_handler)
{
	struct dump *dump = dump_open(dir, SMALL_SEGMENT);
	size_t n_records;
	uint64_t last = 0;
	struct record *records = dump_records(dump, 0, &n_records);
	*n_handler = 0;
	for (size_t i = 0; i < n_records && next != UINT64_MAX; i++) {
		const struct record *r = &records[i];
		if (record_kind(r) != EVENT_task_schedule)
			continue;
		if (r->head != HEAD || r->time == 0 || r->a > FROM_HANDLER ||
		    (r->a == FROM_PROGRAM ? r->b != next : r->b <= last)) {
			next = UINT64_MAX;
		} else if (r->a == FROM_HANDLER) {
			last = r->b;
			++*n_handler;
		} else {
			next++;
		}
	}
	free(records);
	free(dump);
	return next;
}

/* From the thread's first record on, over the ends of segments: nothing of the program's is lost, and of the handler's what came inside of an
 * append. */
START_TEST(handler_appends_everywhere)
{
	const uint64_t n = 40;
	uint64_t n_handler;
	struct session *session = begin();
	put_stepping(0, n, PUT, 1, UINT64_MAX);
	ck_assert_uint_gt(n_puts, n * 20);
	ck_assert_uint_eq(session_lost_no_stream, 0);
	ck_assert_uint_eq(session_n_streams(session), 1);
	const struct ring_control *control = stream_control(tls_stream); /* the mapping outlives its file */
	ck_assert_uint_gt(control->position >> tls_stream->shift, 3);
	session_end("finalize");
	ck_assert_uint_eq(count(session->dir.path, 0, &n_handler), n);
	ck_assert_uint_gt(n_handler, n);
	ck_assert_uint_eq(n_handler + session_lost_reentry + control->lost[loss_cause_reentry], n_puts);
	dump_remove();
}
END_TEST

/* Nor does the plain way stay closed, or open, behind the owner's back. */
START_TEST(recording_is_turned_everywhere)
{
	const uint64_t n = SMALL_RECORDS + 10;
	uint64_t n_handler;
	struct session *session = begin();
	put_stepping(0, n, TURN, 1, UINT64_MAX);
	ck_assert_uint_gt(record_epoch / EPOCH_STEP, n * 20);
	ck_assert(tls_stream->epoch == record_epoch || tls_stream->limit == 0);
	put(FROM_PROGRAM, n);
	ck_assert_uint_eq(tls_stream->epoch, record_epoch);
	ck_assert_uint_eq(tls_stream->limit, tls_stream->end);
	session_end("finalize");
	ck_assert_uint_eq(count(session->dir.path, 0, &n_handler), n + 1);
	ck_assert_uint_eq(session_lost_reentry + stream_control(session_stream(session, 0))->lost[loss_cause_reentry], 0);
	dump_remove();
}
END_TEST

/* While files are made and written the thread's signals wait, so that no handler forks there. */
START_TEST(signals_wait_for_the_slow_path_alone)
{
	sigset_t now;
	begin();
	put_stepping(0, 1, LOOK, 1, UINT64_MAX);
	ck_assert_uint_gt(n_held, 1000); /* the stream was made */
	n_held = 0;
	put_stepping(1, SMALL_RECORDS - 2, LOOK, 1, UINT64_MAX);
	ck_assert_uint_eq(n_held, 0);
	put_stepping(SMALL_RECORDS - 1, 1, LOOK, 1, UINT64_MAX);
	ck_assert_uint_gt(n_held, 500);
	ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, NULL, &now), 0);
	ck_assert_int_eq(sigismember(&now, SIGUSR1), 0);
	dump_remove();
}
END_TEST

/* ---- One process for each place ---- */

/* In a handler's child: goes on, and has a dump of its own, in which the interrupted record may be. */
static void go_on_forked(const char *parents, uint64_t interrupted)
{
	uint64_t n_handler;
	for (uint64_t i = 1; i <= 3; i++)
		put(FROM_HANDLER, i);
	session_end("finalize");
	const struct session *session = session_get();
	_exit(session && strcmp(session->dir.path, parents) != 0 &&
			      count(session->dir.path, interrupted, &n_handler) != UINT64_MAX && n_handler == 3
		      ? 0
		      : 1);
}

struct result {
	char dir[PATH_MAX];
	uint64_t n_steps; /* done */
};

/* `n_before` records, then one with the deed behind its k-th instruction; then another, and the end. Returns how many records of the program's
 * are in the dump. */
static uint64_t do_at(enum deed what, uint64_t n_before, uint64_t k, struct result *result)
{
	int ends[2], status;
	uint64_t n_handler;
	ck_assert_int_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		/* None of check's macros here: its pipe is the parent's. */
		struct session *session = begin();
		if (!session || write(ends[1], session->dir.path, sizeof session->dir.path) < 0)
			_exit(1);
		for (uint64_t i = 0; i < n_before; i++)
			put(FROM_PROGRAM, i);
		put_stepping(n_before, 1, what, k, k);
		if (is_forked)
			go_on_forked(session->dir.path, n_before);
		/* Whoever has not seen the turn must find the plain way closed. */
		if (tls_stream->epoch != record_epoch && tls_stream->limit)
			_exit(1);
		put(FROM_PROGRAM, n_before + 1);
		session_end("finalize");
		if (write(ends[1], (const void *)&n_steps, sizeof n_steps) < 0)
			_exit(1);
		_exit(is_forked_badly || session_lost_no_stream || session_n_streams(session) != 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(status == 0 || (what == KILL && status == SIGKILL));
	ck_assert_int_eq((int)read(ends[0], result->dir, sizeof result->dir), sizeof result->dir);
	if (what == NOTHING)
		ck_assert_int_eq((int)read(ends[0], &result->n_steps, sizeof result->n_steps), sizeof result->n_steps);
	close(ends[0]);
	close(ends[1]);
	uint64_t found = count(result->dir, 0, &n_handler);
	ck_assert_uint_le(n_handler, what == PUT);
	strcpy(dump_parent, result->dir);
	*strrchr(dump_parent, '/') = '\0';
	dump_remove();
	return found;
}

/* The first record of the thread, one in the middle of a segment, the first of the next segment. */
static const uint64_t befores[] = {0, 5, SMALL_RECORDS - 1}; /* thread_attach is the first record of all */

static void do_everywhere(enum deed what, uint64_t n_before)
{
	struct result result;
	bool is_there = false;
	ck_assert_uint_eq(do_at(NOTHING, n_before, UINT64_MAX, &result), n_before + 2);
	uint64_t n = result.n_steps;
	ck_assert_uint_gt(n, 20);
	for (uint64_t k = 1; k <= n; k += k < ALL_UNTIL || n < ALL_UNTIL + N_OTHERS ? 1 : (n - ALL_UNTIL) / N_OTHERS) {
		uint64_t found = do_at(what, n_before, k, &result);
		if (what == KILL) {
			ck_assert_uint_ge(found, is_there ? n_before + 1 : n_before);
			ck_assert_uint_le(found, n_before + 2); /* not every time are there so many instructions */
			is_there = found > n_before;
		} else {
			ck_assert_uint_eq(found, n_before + 2);
		}
	}
}

START_TEST(handler_appends_once)
{
	do_everywhere(PUT, befores[_i]);
}
END_TEST

START_TEST(recording_is_turned_once)
{
	do_everywhere(TURN, befores[_i]);
}
END_TEST

/* Also where signals wait, as the trap's does not: while the stream is made, and while a segment is written. */
START_TEST(handler_forks_once)
{
	do_everywhere(FORK, befores[_i]);
}
END_TEST

START_TEST(process_is_killed)
{
	do_everywhere(KILL, befores[_i]);
}
END_TEST

/* Segments are packed: the first one, for which the packing buffer is made, and one that has no room there any more. */
static const uint64_t packed_befores[] = {SMALL_RECORDS - 1, SMALL_RECORDS * 3 - 1};

START_TEST(handler_forks_while_it_is_packed)
{
	pack = "on";
	do_everywhere(FORK, packed_befores[_i]);
}
END_TEST

START_TEST(process_is_killed_while_it_is_packed)
{
	pack = "on";
	do_everywhere(KILL, packed_befores[_i]);
}
END_TEST

static bool can_step(void)
{
	put_stepping(0, 0, NOTHING, 0, 0);
	bool can = n_steps > 0;
	n_steps = 0;
	return can;
}

int main(void)
{
	if (!can_step()) { /* another architecture, or a debugger that steps itself */
		printf("skip step: the processor does not stop behind each instruction\n");
		return 77;
	}
	const int n_places = sizeof befores / sizeof *befores;
	Suite *suite = suite_create("step");
	TCase *everywhere = tcase_create("everywhere");
	tcase_set_timeout(everywhere, 0); /* tests/check.sh ends what hangs */
	tcase_add_test(everywhere, handler_appends_everywhere);
	tcase_add_test(everywhere, recording_is_turned_everywhere);
	tcase_add_test(everywhere, signals_wait_for_the_slow_path_alone);
	suite_add_tcase(suite, everywhere);
	TCase *once = tcase_create("once");
	tcase_set_timeout(once, 0); /* tests/check.sh ends what hangs */
	tcase_add_loop_test(once, handler_appends_once, 0, n_places);
	tcase_add_loop_test(once, recording_is_turned_once, 0, n_places);
	tcase_add_loop_test(once, handler_forks_once, 0, n_places);
	tcase_add_loop_test(once, process_is_killed, 0, n_places);
	tcase_add_loop_test(once, handler_forks_while_it_is_packed, 0, 2);
	tcase_add_loop_test(once, process_is_killed_while_it_is_packed, 0, 2);
#ifndef __SANITIZE_ADDRESS__ /* a process takes its time there, and has other instructions */
	suite_add_tcase(suite, once);
#endif
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
