/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A segment's life: opened by the owner, filled, closed, handed over, written to a file by the drain thread or by the owner, empty
 * again. All functions are the owner's.
 */
#ifndef OTTER_RECORDER_SEGMENT_H
#define OTTER_RECORDER_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compiler.h"

struct stream;

/* Closes and hands over the current segment and opens the next, with a records_lost record where records were lost before. Returns the
 * position of the first free slot, or 0 where no segment is to be had: the loss of one record has been counted then. `time` is the stamp
 * of the record that follows. Records of the flush are left to segment_tell_flush(). */
NOINLINE uint64_t segment_next(struct stream *stream, uint64_t time);

/* Writes the buffer_flush record that segment_next() left behind, after the record that caused it: stamps stay in order. */
NOINLINE void segment_tell_flush(struct stream *stream, uint64_t not_before);

/* Closes the current segment before it is full and sees that it is written: by the drain thread, or here. */
void segment_flush(struct stream *stream);

/* Lets plain appends into the open segment, unless something was turned since the stream last looked. */
void segment_admit(struct stream *stream);

/* Closes the current segment, if there is one. `flags`: SEGMENT_SEALED or 0. */
void segment_close(struct stream *stream, uint32_t flags);

/* Counts `n` records of the stream as lost. */
void segment_lose(struct stream *stream, unsigned cause, uint64_t n);

/* Maps the memory of a segment, which its file has already, so that the appends do not fault. */
void segment_populate(struct stream *stream, uint32_t index);

#endif
