/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the next segment for a stream's owner: one that was never used, one that the drain thread has given back, or a
 * full one, which the owner writes or packs itself. It runs on the owner's thread, with its signals held.
 */
#ifndef OTTER_RECORDER_SUPPLY_H
#define OTTER_RECORDER_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

/* Maps the memory of a segment, whose room the file already has, so that appends cause no page faults. */
void supply_populate(struct stream *stream, uint32_t index);

/* Takes an empty segment. Returns 0 and its index; or the loss_cause why there is none, with FILE_LATER if there may be
 * one later. */
int supply_take(struct stream *stream, uint32_t *index);

/* Writes or packs all full segments, if the owner rather than the drain thread does that at this moment. */
void supply_flush(struct stream *stream);

/* Packs a segment that is written as its stream is sealed. False: it is not packed. */
bool supply_pack_sealed(struct stream *stream, uint32_t index);

/* Is the stream dropping records, and is there still no empty segment? It makes no system call, as it runs for each
 * record that is dropped. */
bool supply_drops_on(const struct stream *stream);

#endif
