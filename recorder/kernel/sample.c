/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/kernel/sample.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "recorder/clock.h"
#include "recorder/drain/drain.h"
#include "recorder/guard.h"
#include "recorder/omp/context.h"
#include "recorder/ring/ring.h"
#include "recorder/session/meta.h"
#include "recorder/session/session.h"
#include "recorder/session/session_turn.h"
#include "recorder/system/sys.h"

/* The process's signal, found once: a forked child inherits the handler. No handler of the program is replaced. 0: none. */
static int sample_signal;

/* ---- The handler ---- */

/* Is a wait id possible in this state? OpenMP has a wait id for every state of waiting; runtimes set it where they wait
 * for a mutex. States that a runtime has defined itself (from 0x200 on) may have one. */
static bool has_wait_id(unsigned state)
{
	return (state >= thread_state_wait_mutex && state < thread_state_wait_target) || state >= THREAD_STATE_OWN_FIRST;
}

/* The task and the region are those of the last callback. They are not queried here: LLVM's ompt_get_task_info follows
 * pointers in memory that another thread changes at the same time, while it prepares a team whose workers are
 * interrupted. */
static void take_sample(struct stream *samples, const struct stream *of, uint64_t n_missed)
{
	uint64_t time = clock_ticks();
	uint64_t epoch = __atomic_load_n(&record_epoch, __ATOMIC_RELAXED);
	if (epoch & EPOCH_FLAGS) {
		if (epoch & EPOCH_STOPPED)
			segment_lose(samples, session_stopped(samples->session), 1);
		return;
	}
	uint64_t wait_id = 0;
	unsigned state = state_query(&wait_id);
	bool is_waiting = wait_id && has_wait_id(state);
	uint64_t missed = n_missed < RECORD_FLAGS_MASK ? n_missed : RECORD_FLAGS_MASK;
	uint64_t value = (uint64_t)(is_waiting ? sample_flags_has_wait_id : 0) << 32 | state;
	struct ring_group group = ring_group_begin(samples);
	ring_group_append(&group, time, record_head(EVENT_sample, missed, value), of->now.task, of->now.region);
	if (is_waiting)
		ring_group_append(&group, time, record_head(EVENT_sample_wait, 0, 0), wait_id, 0);
	ring_group_end(&group);
}

/* Another sender used this signal: it has the effect that it would have without the recorder. The signal is blocked
 * here, so it is delivered when the handler has returned. */
static void pass_on(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};
	sigaction(number, &action, NULL);
	sys_raise(number);
}

static void on_timer(int number, siginfo_t *info, void *context)
{
	int error = errno;
	(void)context;
	struct session *session = session_get();
	uint32_t stream = (uint32_t)info->si_value.sival_int;
	if (info->si_code != SI_TIMER) {
		pass_on(number);
	} else if (session && stream < session_n_streams(session)) {
		struct stream *samples = session_stream(session, stream | ID_STREAM_SAMPLES);
		/* Otherwise the signal was pending while the thread released the stream. */
		if (samples && samples->owner == stream_self())
			take_sample(samples, session_stream(session, stream),
				    info->si_overrun > 0 ? (uint64_t)info->si_overrun : 0);
	}
	errno = error;
}

/* ---- The signal ---- */

static bool is_ours(int number)
{
	struct sigaction action;
	return number && sigaction(number, NULL, &action) == 0 && (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == on_timer;
}

/* Takes the signal if the program has no handler for it. If another thread sets one between the two calls, that one is
 * restored. */
static bool take_signal(int number)
{
	struct sigaction before;
	struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	guard_fill_signals(&action.sa_mask);
	if (sigaction(number, NULL, &before) != 0 || (before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
		return false;
	if (sigaction(number, &action, &before) != 0)
		return false;
	if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
		return true;
	sigaction(number, &before, NULL);
	return false;
}

/* It tries the highest first: programs use signals from SIGRTMIN up. */
static int find_signal(void)
{
	for (int number = SIGRTMAX; number >= SIGRTMIN; number--)
		if (take_signal(number))
			return number;
	return 0;
}

void sample_setup(struct session *session)
{
	if (!session->config.sample_hz)
		return;
	if (!is_ours(sample_signal))
		sample_signal = find_signal();
	session->samples.signal = sample_signal;
	if (sample_signal)
		meta_sampling(session);
	else
		meta_note(session, "OTTER_SAMPLE: the program has a handler for every real-time signal: nothing is sampled");
}

/* ---- The timer ---- */

static bool start_timer(struct stream *samples, clockid_t clock, uint64_t first_ns, uint64_t interval_ns)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = samples->session->samples.signal};
	event.sigev_value.sival_int = (int)(samples->number & ~ID_STREAM_SAMPLES);
	event._sigev_un._tid = (int)samples->tid;
	int *timer = &samples->timers[samples->n_timers];
	if (sys_timer_create(clock, &event, timer) != 0)
		return false;
	samples->n_timers++;
	struct itimerspec times = {.it_interval = sys_timespec(interval_ns), .it_value = sys_timespec(first_ns)};
	return sys_timer_settime(*timer, &times) == 0;
}

/* On the wall clock two timers alternate. The kernel restarts a timer when its signal is delivered: a single timer
 * would then be programmed into the processor a second time, after the interrupt itself has programmed the next timer.
 * With two timers the other one is the next, and nothing has to be programmed. In a virtual machine each programming is
 * an exit to the hypervisor. (Timers of a thread's CPU time follow the kernel's ticks.) */
static bool start_timers(struct stream *samples)
{
	const struct config *config = &samples->session->config;
	uint64_t period_ns = 1000000000 / config->sample_hz;
	if (config->samples_cpu_time)
		return start_timer(samples, CLOCK_THREAD_CPUTIME_ID, period_ns, period_ns);
	for (uint64_t i = 1; i <= SAMPLE_TIMERS; i++)
		if (!start_timer(samples, CLOCK_MONOTONIC, i * period_ns, SAMPLE_TIMERS * period_ns))
			return false;
	return true;
}

/* A program that blocks all signals, to wait for them in a thread of its own, does not mean a signal that only this
 * library sends. */
static void unblock(struct stream *samples)
{
	uint64_t ours = SYS_SIGNAL(samples->session->samples.signal), before;
	sys_sigmask(SIG_UNBLOCK, &ours, &before);
	samples->was_blocked = before & ours;
}

static void block_again(struct stream *samples)
{
	uint64_t ours = SYS_SIGNAL(samples->session->samples.signal);
	if (samples->was_blocked)
		sys_sigmask(SIG_BLOCK, &ours, NULL);
}

static void stop_timers(struct stream *samples)
{
	for (; samples->n_timers > 0; samples->n_timers--)
		sys_timer_delete(samples->timers[samples->n_timers - 1]);
}

static struct stream *samples_of(struct stream *stream)
{
	return session_stream(stream->session, stream->number | ID_STREAM_SAMPLES);
}

void sample_begin(struct stream *stream)
{
	struct session *session = stream->session;
	if (!session->samples.signal)
		return;
	struct stream *samples = samples_of(stream);
	if (!samples) {
		uint64_t signals;
		guard_hold_signals(&signals);
		samples = stream_create_samples(stream);
		guard_let_signals(&signals);
	}
	if (!samples)
		return;
	drain_wake(session); /* the drain thread is started before the first sample: a handler must not start a thread */
	samples->tid = stream->tid;
	ring_append(samples, clock_ticks(), record_head(EVENT_thread_attach, 0, 0), samples->tid, UINT64_MAX);
	unblock(samples);
	signal_fence();
	__atomic_store_n(&samples->owner, stream_self(), __ATOMIC_RELAXED);
	signal_fence();
	if (start_timers(samples))
		return;
	sample_end(stream);
	meta_note_once(session, META_ONCE_SAMPLES, "OTTER_SAMPLE: a thread has no timer and is not sampled (RLIMIT_SIGPENDING?)");
}

void sample_end(struct stream *stream)
{
	struct stream *samples = samples_of(stream);
	if (!samples || samples->owner != stream_self())
		return;
	__atomic_store_n(&samples->owner, STREAM_FREE, __ATOMIC_RELAXED);
	signal_fence();
	stop_timers(samples);
	block_again(samples);
	ring_append(samples, clock_ticks(), record_head(EVENT_thread_detach, 0, 0), samples->tid, 0);
	samples->tid = 0;
}
