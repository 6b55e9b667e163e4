/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forked child: it forgets its parent's session, and begins its own at the first event that needs one. Until then its
 * first thread and initial task are remembered here. It runs in the handler of fork and in callbacks of the child's
 * threads.
 */
#ifndef OTTER_RECORDER_SESSION_CHILD_H
#define OTTER_RECORDER_SESSION_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/event.h"
#include "recorder/compiler.h"

/* The handler of fork, in the child: it leaves the session and its files to the parent. */
void session_forget(void);

/* The child's first thread and initial task alone are no reason for a dump. They are remembered here, with their times
 * and arguments, and are recorded first when a dump is made. Only the thread that called fork uses this. */
struct session_deferred {
	uintptr_t owner; /* stream_self() of that thread; 0: nothing is remembered */
	bool has_thread;
	bool has_task;
	uint64_t thread_time;
	uint64_t thread_type;
	uint64_t task_time;
	uint64_t task_flags;
	uint64_t task_numbers; /* word b of the record */
};
extern HIDDEN struct session_deferred session_deferred;

/* The ids of the remembered task and its region: the first ids of stream 0. */
#define DEFERRED_ID (UINT64_C(1) << ID_STREAM_BITS)

/* Remember instead of recording. False: another thread is remembered already, and this must be recorded. */
bool session_defer_thread(uint64_t time, unsigned type);
bool session_defer_task(uint64_t time, uint64_t flags, uint64_t numbers);
/* The remembered task or thread ends. True: nothing of it has to be recorded. */
bool session_defer_end(void);

/* Is this a forked child that has not recorded anything yet? */
bool session_is_child(void);

/* Several threads of such a child may have an event at the same time: one of them makes the session. Returns true to
 * that thread, which calls session_child_done() when it has made it. */
bool session_claim_child(void);
void session_child_done(void);

#endif
