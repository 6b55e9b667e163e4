/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The life of a segment: its stream's owner opens it, fills it, closes it and hands it over; the drain thread or the
 * owner writes it to a file, and then it is empty again. These functions run on the thread that owns the stream.
 */
#ifndef OTTER_RECORDER_SEGMENT_H
#define OTTER_RECORDER_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/compiler.h"

struct stream;

/* Closes the current segment, hands it over and opens the next one, with a records_lost record if records were lost
 * before. Returns the position of the first free slot, or 0 if there is no segment: then the loss of one record has
 * been counted. `time` is the stamp of the record that follows. A flush that happens here is recorded later, by
 * segment_put_flush(). */
NOINLINE uint64_t segment_next(struct stream *stream, uint64_t time);

/* Appends the buffer_flush record of a flush in segment_next(), with a begin of `not_before` or later. It follows the
 * record that caused the flush, so that time stamps stay in order. */
NOINLINE void segment_put_flush(struct stream *stream, uint64_t not_before);

/* Closes the current segment before it is full, and has it written by the drain thread, or writes it here. */
void segment_flush(struct stream *stream);

/* Opens the fast path into the open segment, unless recording was turned on or off since the stream last compared the
 * epoch. */
void segment_admit(struct stream *stream);

/* Closes the current segment, if there is one. `flags`: SEGMENT_SEALED or 0. */
void segment_close(struct stream *stream, uint32_t flags);

/* Counts `n` records of the stream as lost. */
void segment_lose(struct stream *stream, unsigned cause, uint64_t n);

#endif
