/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes segments past the page cache (O_DIRECT): from the mapped ring to the disk, several at once. That takes a third
 * of the time of copying them into pages that the kernel writes back later, and leaves the memory to the program. Only
 * the drain thread does it, since a direct write waits for the disk.
 *
 * A place in drain.seg is a multiple of 4096 bytes, and so is the length of each direct write: the bytes between a
 * segment's used bytes and the next multiple have no meaning. So no page of the file is written both directly and
 * through the page cache, and a file of which some pages were written directly and others were not is always whole.
 */
#ifndef OTTER_RECORDER_DIRECT_H
#define OTTER_RECORDER_DIRECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define DIRECT_ALIGN  UINT64_C(4096) /* of memory, places and lengths: no disk and no file system wants more */
#define DIRECT_PIECES 8              /* that are written at once, at most */

struct session;
struct stream;

/* Part of struct session. The drain thread changes it; threads with a full segment read is_off and is_paused. */
struct direct {
	bool is_off;          /* the file system takes no direct writes */
	bool is_paused;       /* the disk took too long: no direct writes until resume_ns */
	uint64_t resume_ns;   /* when the pause ends */
	uint64_t pause_ns;    /* the length of the pause */
	uint64_t piece_bytes; /* the most that is written at once; 0: nothing was written yet */
};

/* Returns how many bytes a direct write of `bytes` takes in the file. */
static inline uint64_t direct_bytes(uint64_t bytes)
{
	return (bytes + DIRECT_ALIGN - 1) & ~(DIRECT_ALIGN - 1);
}

/* Returns how many full segments of this stream the drain thread collects before it writes them. 1 where it does not
 * write directly. */
uint32_t direct_batch(const struct session *session, const struct stream *stream);

/* To be called by the drain thread before it writes: ends the pause of direct writes, if its time is over. */
void direct_resume(struct session *session);

/* Adapts the size of the next direct write to one of `bytes` that took `ns`. For the drain thread, and for tests. */
void direct_learn(struct session *session, uint64_t bytes, uint64_t ns);

/* Writes `n` pieces of memory, up to DIRECT_PIECES, into an open file, one after the other from `offset` on. Each
 * begins at a multiple of DIRECT_ALIGN in memory and has a multiple of it as its length. The file's flags change.
 * Returns 0, or the loss_cause. `*is_refused`: direct writes are not possible there (then `is_off` is set), or take too
 * long for now; the caller writes all pieces through the page cache. */
int direct_write(struct session *session, int fd, const struct iovec *pieces, uint32_t n, uint64_t offset, bool *is_refused);

/* Does the drain thread write past the page cache now? */
bool direct_is_on(const struct session *session);

#endif
