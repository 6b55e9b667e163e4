/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a session's files are: names and makes the dump's directory, and one for the rings where OTTER_RING_DIR asks for it.
 */
#ifndef OTTER_RECORDER_PLACE_H
#define OTTER_RECORDER_PLACE_H

#include <stdbool.h>

struct session;

/* Makes the directories (0700, exclusively, so never through a symbolic link or over another dump) and an empty meta. Fills in dir and
 * ring_dir. False: it could not, and nothing is left behind. */
bool place_make(struct session *session);

/* Takes it all away again, where there is nothing in it but meta. */
void place_remove(struct session *session);

/* Removes the rings' own directory when it has become empty. */
void place_leave(struct session *session);

#endif
