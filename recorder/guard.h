/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the program must not notice of a slow path: that its errno was used, and that files were opened and written, which are points where
 * a pending cancellation would end the thread, here inside of the runtime's and our own work.
 *
 * Every way from a callback into system calls goes through one of these. Where a producer makes its ring or writes a file its signals wait as
 * well: a handler there might fork, and the child would write into its parent's dump; or leave by longjmp, and never come back to finish.
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

/* All signals but those that an instruction raises: blocked, they would kill. */
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
