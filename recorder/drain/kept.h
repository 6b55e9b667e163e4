/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files of the dump that stay open while a thread begins or ends a session: on a shared file system each open is a message to
 * its server, and a thousand processes begin and end at the same time. They are open only in a table of descriptors of the
 * thread's own (away.h), which ends with it: elsewhere the program could close them, and put files of its own in their places.
 * Everywhere else each write opens its file.
 */
#ifndef OTTER_RECORDER_KEPT_H
#define OTTER_RECORDER_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/drain/file.h"

struct session;

enum kept_file { KEPT_SEGMENTS, KEPT_PACKED, KEPT_META, KEPT_FILES }; /* drain.seg, drain.pseg, meta */

/* Part of struct session. */
struct kept {
	uintptr_t owner; /* stream_self() of the thread that keeps files open; 0: none does. The rest is that thread's. */
	bool is_checked; /* the directory was found to be the dump's, in this moment */
	struct file files[KEPT_FILES];
};

/* From now on the calling thread keeps files open. False: it does not, as it has no table of its own, or few descriptors, or as
 * another thread does. kept_end() closes them, and does nothing where kept_begin() has returned false. */
bool kept_begin(struct session *session);
void kept_end(struct session *session);

/* The calling thread has just made the dump's directory, or compared it. */
void kept_note_checked(struct session *session);

/* Opens a file of the dump, unless the calling thread has kept it open. `local` is used where it keeps none. Returns 0, or the cause;
 * kept_close() has to follow with `*file` in any case. It closes the file if it is not to be kept, or if there was a cause. */
int kept_open(struct session *session, enum kept_file which, int flags, struct file *local, struct file **file);
void kept_close(struct session *session, struct file *file, int cause);

#endif
