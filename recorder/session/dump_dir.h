/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names and makes the dump's directory, and one for the rings: in memory (/dev/shm) where that has room and the launcher
 * will bring them into the dump, so that no store into a ring waits for a file system; or where OTTER_RING_DIR says. It
 * runs on the thread that begins or ends the session.
 */
#ifndef OTTER_RECORDER_DUMP_DIR_H
#define OTTER_RECORDER_DUMP_DIR_H

#include <stdbool.h>

struct session;
struct statfs;

/* Makes the directory and an empty meta, and fills in `dir` and what its file system is (f_blocks 0: not known). They are made with
 * mode 0700 and exclusively, so never through a symbolic link or over another dump. False: they could not be made, and
 * nothing of them is left. */
bool dump_dir_make(struct session *session, struct statfs *fs);

/* Fills in where the rings will be: in `dir`, or in a directory of their own that does not exist yet. */
void dump_dir_choose_rings(struct session *session, const struct statfs *fs);

/* Makes that directory, which meta names by now. Where it cannot be made, the rings are in `dir`, and meta gets a note. */
void dump_dir_make_rings(struct session *session);

/* Removes the directories, if the dump has nothing in it but meta. */
void dump_dir_remove(struct session *session);

/* Removes the rings' own directory, if it is empty. */
void dump_dir_leave(struct session *session);

#endif
