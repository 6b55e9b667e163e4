/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hides from the program what a slow path does: it keeps errno, and it disables cancellation, as files are opened and
 * written, which are points where a pending cancellation would end the thread in the middle of the runtime's and the
 * recorder's work.
 *
 * Every path from a callback to a system call goes through guard_enter() and guard_leave(), on the thread of the
 * callback. Signals wait as well while a thread makes its ring or writes a file: a handler might fork there, and the
 * child would write into its parent's dump, or it might leave by longjmp, and the work would never be finished.
 */
#ifndef OTTER_RECORDER_GUARD_H
#define OTTER_RECORDER_GUARD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>

struct guard {
	int error;
	int cancel_state;
};

static inline struct guard guard_enter(void)
{
	struct guard guard = {.error = errno};
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard.cancel_state);
	return guard;
}

static inline void guard_leave(struct guard guard)
{
	pthread_setcancelstate(guard.cancel_state, NULL);
	errno = guard.error;
}

/* All signals but those that an instruction raises: while blocked, they would kill the process. */
static inline void guard_fill_signals(sigset_t *signals)
{
	static const int never[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
	sigfillset(signals);
	for (unsigned i = 0; i < sizeof never / sizeof *never; i++)
		sigdelset(signals, never[i]);
}

static inline void guard_hold_signals(sigset_t *before)
{
	sigset_t held;
	guard_fill_signals(&held);
	pthread_sigmask(SIG_BLOCK, &held, before);
}

static inline void guard_let_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
