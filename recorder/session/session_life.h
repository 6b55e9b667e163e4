/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins and ends a session: when a runtime starts and ends, in the library's destructor, and at a forked child's first
 * event, each time on the thread where that happens.
 */
#ifndef OTTER_RECORDER_SESSION_LIFE_H
#define OTTER_RECORDER_SESSION_LIFE_H

#include <stdbool.h>

#include "recorder/session/session.h"

/* Reads the settings and makes the dump. False: nothing can be recorded, or this rank is not selected. */
bool session_begin(void);

/* To be called when a runtime starts, for the first time in this process or again: begins the session, or continues the
 * one that there is. False: nothing can be recorded. */
bool session_start(void);

/* Seals every stream that has no owner and the calling thread's own, and writes how the session ended: "finalize" or
 * "destructor". It waits for no thread. If OpenMP's finalize is still to come, the calling thread's stream stays open
 * for what that thread will record. */
void session_end(const char *how);

/* Has session_end() nothing more to do? */
bool session_is_over(void);

/* Makes the session of a forked child, at the first event that needs one. If several threads call, one makes it; the
 * others get NULL until it is made, and lose their events. */
struct session *session_begin_child(void);

#endif
