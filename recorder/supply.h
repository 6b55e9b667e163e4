/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a stream's owner gets its next segment from: one that was never used, one that the drain thread has given back, or a
 * full one, which the owner writes or packs itself. Called by segment.c where a segment ends, with the thread's signals
 * held.
 */
#ifndef OTTER_RECORDER_SUPPLY_H
#define OTTER_RECORDER_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

/* Takes an empty segment. Returns 0 and its index, or the cause why there is none, or none now (FILE_LATER). */
int supply_take(struct stream *stream, uint32_t *index);

/* Writes or packs all full segments, if their owner does that itself at this moment. */
void supply_flush(struct stream *stream);

/* Packs a segment that is written as its stream is sealed. False: it is not packed. */
bool supply_pack_sealed(struct stream *stream, uint32_t index);

/* Is the stream dropping records, and has no segment come back since? Asked for each record that is dropped, so it
 * makes no system call. */
bool supply_drops_on(const struct stream *stream);

#endif
