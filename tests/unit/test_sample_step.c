/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples: the timer's signal between any two instructions of an append, and an append, or the process's death, between any two of its handler.
 */
#include <errno.h>
#include <sys/wait.h>

#include "recorder/kernel/sample.h"
#include "tests/recorder_step.h"
#include "tests/unit/recorder_sample.h"

/* Calls the handler as a function, so that its instructions are stepped through. */
static __attribute__((noinline)) void call_handler(uint64_t first, uint64_t n)
{
	struct sigaction action;
	sigaction(session_get()->samples.signal, NULL, &action);
	for (uint64_t i = first; i < first + n; i++) {
		siginfo_t info = expiration(i);
		step(true);
		action.sa_sigaction(info.si_signo, &info, NULL);
		step(false);
	}
}

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
		bool is_held = sigismember(&interrupted->uc_sigmask, session_get()->samples.signal);
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
	stop_timers();
	arm(SAMPLE);
	errno = OWN_ERRNO;
	put_stepping(1, n - 1);
	ck_assert_int_eq(errno, OWN_ERRNO);
	ck_assert_uint_gt(n_sent, n * 20);
	ck_assert_uint_eq(session_lost_reentry, 0);
	ck_assert_uint_eq(stream_control(tls_stream)->lost[loss_cause_reentry], 0);
	uint64_t n_lost = stream_control(samples_of_thread())->lost[loss_cause_full];
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
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
	stop_timers();
	arm(PUT);
	call_handler(1, n);
	ck_assert_uint_gt(n_puts, n * 20);
	ck_assert_uint_eq(session_lost_reentry, 0);
	uint64_t n_lost = stream_control(samples_of_thread())->lost[loss_cause_full];
	session_end("finalize");
	struct dump *dump = dump_open(session->dir.path, SMALL_SEGMENT);
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
		if (!session || write(ends[1], session->dir.path, sizeof session->dir.path) < 0)
			_exit(1);
		put(FROM_PROGRAM, 0);
		stop_timers();
		struct sigaction action;
		sigaction(session->samples.signal, NULL, &action);
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

static bool can_step(void)
{
	arm(NOTHING);
	step(true);
	step(false);
	return n_steps > 0;
}

int main(void)
{
	Suite *suite = suite_create("sample_step");
	TCase *stepping = tcase_create("stepping");
	tcase_set_timeout(stepping, 0); /* tests/check.sh ends what hangs */
	if (can_step()) {
		tcase_add_test(stepping, sampled_everywhere);
		tcase_add_test(stepping, handler_is_interrupted_everywhere);
#ifndef __SANITIZE_ADDRESS__ /* a process takes its time there, and has other instructions */
		tcase_add_loop_test(stepping, samples_survive_a_kill, 0, sizeof befores / sizeof *befores);
#else
		(void)samples_survive_a_kill;
#endif
	} else { /* another architecture, or a debugger that steps itself */
		printf("skip sample_step/stepping: the processor does not stop behind each instruction\n");
	}
	suite_add_tcase(suite, stepping);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	int n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed > 0;
}
