/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A forked child: it forgets its parent's session, and begins its own with the first event that counts. Until then its first thread and initial
 * task are remembered here.
 */
#ifndef OTTER_RECORDER_SESSION_CHILD_H
#define OTTER_RECORDER_SESSION_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/event.h"
#include "recorder/compiler.h"

/* The handler of fork, in the child: the session and its files are the parent's. */
void session_forget(void);

/* Its first thread and initial task do not make a dump yet; they are remembered here (by time and arguments) and recorded first when there
 * is one. Only for the one thread that went through fork. */
struct session_deferred {
	uintptr_t owner; /* stream_self() of that thread; 0: nothing remembered */
	bool has_thread;
	bool has_task;
	uint64_t thread_time;
	uint64_t thread_type;
	uint64_t task_time;
	uint64_t task_flags;
	uint64_t task_numbers; /* word b of the record */
};
extern HIDDEN struct session_deferred session_deferred;

/* The ids that the remembered task and its region have: the first of stream 0. */
#define DEFERRED_ID (UINT64_C(1) << ID_STREAM_BITS)

/* Remembers instead of recording; false where it must be recorded after all: another thread is remembered already. */
bool session_defer_thread(uint64_t time, unsigned type);
bool session_defer_task(uint64_t time, uint64_t flags, uint64_t numbers);
/* The remembered task or thread ends: there was nothing to record. */
bool session_defer_end(void);

/* Is this a forked child that has not recorded anything yet? */
bool session_is_child(void);

/* Of several threads of such a child one makes the session: true for that one, which calls session_child_done() when it has. */
bool session_claim_child(void);
void session_child_done(void);

#endif
