/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes segments past the page cache (O_DIRECT): from the mapped ring to the disk, several at once. That takes a third of
 * the time of copying them into pages that the kernel writes back later, and leaves the memory to the program. Only the
 * drain thread does it, since a direct write waits for the disk.
 *
 * A place in drain.seg is a multiple of 4096 bytes, and so is the length of each direct write: what comes after a segment's
 * used bytes, up to the next multiple, means nothing. So no page of the file is written both directly and through the page
 * cache, and a file that is written first in one way and then in the other is always whole.
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

/* What a direct write of so many bytes takes in the file. */
static inline uint64_t direct_bytes(uint64_t bytes)
{
	return (bytes + DIRECT_ALIGN - 1) & ~(DIRECT_ALIGN - 1);
}

/* How many full segments of this stream the drain thread waits for before it writes them. 1 where it does not write
 * directly. */
uint32_t direct_batch(const struct session *session, const struct stream *stream);

/* The drain thread is about to write: is it time to try direct writes again, after one that took too long? */
void direct_resume(struct session *session);

/* A direct write of `bytes` took `ns`: adapts the size of the next one. The drain thread's, and tests'. */
void direct_learn(struct session *session, uint64_t bytes, uint64_t ns);

/* Writes `n` pieces of memory, up to DIRECT_PIECES, into an open file, one after the other from `offset` on. Each begins at a
 * multiple of DIRECT_ALIGN in memory and has a multiple of it as its length. The file's flags change. Returns 0, or the loss_cause. `*is_refused`: direct writes are not possible there
 * (then `direct_is_off` is set), or take too long for now; the caller writes all of them in the other way. */
int direct_write(struct session *session, int fd, const struct iovec *pieces, uint32_t n, uint64_t offset, bool *is_refused);

/* Does the drain thread write past the page cache at this moment? */
bool direct_is_on(const struct session *session);

#endif
