/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins and ends a session. Called when a runtime starts and ends (tool.c, abt_attach.c), by the library's destructor,
 * and at a forked child's first event, each time on the thread where that happens.
 */
#ifndef OTTER_RECORDER_SESSION_LIFE_H
#define OTTER_RECORDER_SESSION_LIFE_H

#include <stdbool.h>

#include "recorder/session.h"

/* Reads the settings and makes the dump. False: nothing can be recorded, or this rank is not selected. */
bool session_begin(void);

/* A runtime starts, for the first time in this process or again: begins the session, or goes on with the one that is
 * there. False: nothing can be recorded. */
bool session_start(void);

/* Seals every stream that has no owner and the calling thread's own, and writes how the session ended: "finalize" or
 * "destructor". It waits for no thread. If OpenMP's finalize is still to come, the calling thread's stream stays open
 * for what that thread will record. */
void session_end(const char *how);

/* Is there nothing left to do for session_end()? */
bool session_is_over(void);

/* Makes the session of a forked child, for its first event that counts. If several threads call, one makes it; the
 * others get NULL until it is there, and lose their events. */
struct session *session_begin_child(void);

#endif
