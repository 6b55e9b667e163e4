/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A session's beginning and its end. Called by the start and the end of a runtime (tool.c, abt_attach.c), by the library's destructor, and by a
 * forked child's first event, each on the thread that comes with it.
 */
#ifndef OTTER_RECORDER_SESSION_LIFE_H
#define OTTER_RECORDER_SESSION_LIFE_H

#include <stdbool.h>

#include "recorder/session.h"

/* Creates the dump, with the settings from the environment. False: there is nothing to record into. */
bool session_begin(void);

/* A runtime starts, the first of the process, another one, or one again: begins the session, or goes on with the one that is there. */
bool session_start(void);

/*
 * Seals what can be sealed and writes how it ended: "finalize" or "destructor". Joins nothing, waits for nobody. Where finalize is still to come
 * the calling thread's stream stays open, for what it will yet report.
 */
void session_end(const char *how);

/* Has session_end() nothing left to do? */
bool session_is_over(void);

/* For the first event that counts, of a child; several threads may come, one creates, the others lose their event. */
struct session *session_begin_child(void);

#endif
