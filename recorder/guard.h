/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hides slow paths from the program: it keeps errno, and it disables cancellation, as opening and writing files are
 * points where a pending cancellation would end the thread in the middle of the runtime's and the recorder's work.
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
#include <stdint.h>

#include "recorder/system/sys.h"

/* Two that libc keeps to itself: by these a thread is cancelled, or takes part in setuid(). */
#define GUARD_LIBC_SIGNALS (SYS_SIGNAL(32) | SYS_SIGNAL(33))

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

/* Returns the signals that an instruction raises, as a set of sys.h. */
uint64_t guard_raised_signals(void);

/* Fills in all signals but those that an instruction raises: while blocked, they would kill the process. */
void guard_fill_signals(sigset_t *signals);

/* Blocks these signals in the calling thread. Not inlined: the set must not stay on the stack of a thread that writes a
 * segment. */
void guard_hold_signals(uint64_t *before);

static inline void guard_let_signals(const uint64_t *before)
{
	sys_sigmask(SIG_SETMASK, before, NULL);
}

#endif
