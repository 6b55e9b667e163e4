/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and makes the dump's directory, and one for the rings where OTTER_RING_DIR asks for it. session_life.c calls
 * it, on the thread that begins or ends the session.
 */
#ifndef OTTER_RECORDER_PLACE_H
#define OTTER_RECORDER_PLACE_H

#include <stdbool.h>

struct session;

/* Makes the directories and an empty meta, and fills in `dir` and `ring_dir`. They are made with mode 0700 and
 * exclusively, so never through a symbolic link or over another dump. False: they could not be made, and nothing is
 * left behind. */
bool place_make(struct session *session);

/* Removes the directories, if the dump has nothing in it but meta. */
void place_remove(struct session *session);

/* Removes the rings' own directory, if it is empty. */
void place_leave(struct session *session);

#endif
