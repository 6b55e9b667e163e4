/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of segments. No descriptor is kept: each write opens by absolute path, writes at its place, and closes. A program that closes
 * all descriptors, or replaces one, never gets our bytes.
 *
 * All return 0 or the loss_cause that says why not, with FILE_LATER where the next try may succeed.
 */
#ifndef OTTER_RECORDER_OUTPUT_H
#define OTTER_RECORDER_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/format.h"

struct session;
struct stream;

/* Room that is left to others on a file system. */
#define FREE_SPACE_BYTES (UINT64_C(16) * 1024 * 1024)

/* Room that is taken at once for a file that grows, at most. */
#define AHEAD_BYTES (UINT64_C(4) * 1024 * 1024)

/* What is known of a file of segments: only to whom it belongs, the drain thread or a stream's owner. */
struct output_file {
	bool exists;
	uint64_t n_places; /* segments in it; not of circular ones */
	uint64_t reserved; /* up to this byte there is room on the disk; 0 where nobody has asked for it */
};

/* Writes a full segment, and notes in `written` that it is there: the drain thread to drain.seg, or to the stream's circular NNNNN.dseg, the
 * stream's owner to NNNNN.seg. By who has taken the segment from the `full` ring. Where it fails the segment stays as it is. */
int output_segment(struct stream *stream, uint32_t index, bool is_drain_thread);

/* The owner writes a segment when the stream is sealed: beyond OTTER_LIMIT too, as the ring goes away for it. */
int output_sealed(struct stream *stream, const struct segment_header *header, uint32_t used_bytes);

/* Gives back the room behind the end of NNNNN.seg. (That of drain.seg stays, at most AHEAD_BYTES: the file is the drain thread's, and whoever
 * touches it waits for a writer that may have no processor.) */
void output_trim(struct stream *stream);

/* The lowest sequence that a file still has a place for when `last` is in it: circular files keep the newest alone. */
uint64_t output_first_kept(const struct session *session, uint64_t last);

/* Appends to meta, in one write. */
int output_meta(const struct session *session, const char *bytes, size_t n_bytes);

/* Zeros into `bytes` of an open file: then its pages are in memory and the file system has promised their room. */
int output_zeros(int fd, uint64_t offset, uint64_t bytes);

/* Makes a new, open file `bytes` long, with room for the `first` of them, or for all (`*has_all`). On ext4 not by fallocate: to give
 * blocks of a disk back takes milliseconds when the file goes away, pages that have never been there cost nothing. */
int output_ring(int fd, uint64_t bytes, uint64_t first, bool *has_all);

/* May a file grow to `bytes`: RLIMIT_FSIZE, asked first so that the program gets no SIGXFSZ. */
bool output_fits_limit(uint64_t bytes);

/* Is there room for `bytes` more on the file system of this open file? */
bool output_has_space(int fd, uint64_t bytes);

#endif
