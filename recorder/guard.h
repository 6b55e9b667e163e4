/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the program must not notice of a slow path: that its errno was used, and that files were opened and written, which are points where
 * a pending cancellation would end the thread, here inside of the runtime's and our own work.
 *
 * Every way from a callback into system calls goes through one of these.
 */
#ifndef OTTER_RECORDER_GUARD_H
#define OTTER_RECORDER_GUARD_H

#include <errno.h>
#include <pthread.h>

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

#endif
