/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Packing by the drain thread: it packs segments of all streams into one packing buffer, and writes that to drain.pseg,
 * a megabyte at once. One thread at a time has the buffer and the file: the drain thread, or the thread that ends the
 * session. Neither waits for the other.
 */
#ifndef OTTER_RECORDER_DRAIN_PACK_H
#define OTTER_RECORDER_DRAIN_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "recorder/drain/output.h"
#include "recorder/drain/packer.h"

struct session;
struct stream;

/* Part of struct session. */
struct drain_pack {
	uint32_t is_taken; /* 1: a thread has the buffer and the file */
	uintptr_t sealer;  /* stream_self() of the thread that has them to seal all streams; 0: none */
	struct packer packer;
	struct output_file file; /* drain.pseg */
};

/* Takes the buffer and drain.pseg. False: another thread has them. */
bool drain_pack_begin(struct session *session);

/* Are they free? */
bool drain_pack_can_begin(const struct session *session);

/* Gives them back. */
void drain_pack_done(struct session *session);

/* Packs `n` full segments of a stream, which the drain thread has taken in this order, and writes those that packing
 * does not make smaller. It subtracts from `*n` the segments that it could neither pack nor write, which are the last
 * ones; then it returns the cause. */
int drain_pack(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n);

/* Writes the closed parts of a packing buffer to drain.pseg. Returns 0, or the cause. */
int drain_pack_write(struct session *session, struct packer *packer);

/* The thread that ends the session takes the buffer and drain.pseg for what is left of all streams, until drain_pack_end().
 * False: another thread has them, or nothing is packed. */
bool drain_pack_begin_sealing(struct session *session);

/* Packs a segment of a stream that is sealed. False: it has to be written otherwise. */
bool drain_pack_sealed(struct session *session, const struct segment_header *segment);

/* Ends packing with the session: writes the rest of the buffer, and removes it. If the drain thread is using the
 * buffer, it stays in the dump, and the builder reads it. */
void drain_pack_end(struct session *session);

#endif
