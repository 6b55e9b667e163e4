/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The drain thread packs: segments of all streams go into one packing buffer, and from there into drain.pseg, a megabyte at
 * once. One thread at a time has the buffer and the file: the drain thread, or the one that ends the session. Neither waits
 * for the other.
 */
#ifndef OTTER_RECORDER_DRAIN_PACK_H
#define OTTER_RECORDER_DRAIN_PACK_H

#include <stdbool.h>
#include <stdint.h>

struct packer;
struct session;
struct stream;

/* Takes the buffer and drain.pseg. False: another thread has them. */
bool drain_pack_begin(struct session *session);

/* Are they free? */
bool drain_pack_can_begin(const struct session *session);

/* Gives them back. */
void drain_pack_done(struct session *session);

/* Packs `n` full segments of a stream, which the drain thread has taken in this order, and writes what does not become
 * less. It subtracts from `*n` those that it could not put away, which are the last ones; then it returns the cause. */
int drain_pack(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n);

/* Writes the closed parts of a packing buffer to drain.pseg. Returns 0, or the cause. */
int drain_pack_write(struct session *session, struct packer *packer);

/* The session ends: writes what is left in the buffer, and removes it, unless the drain thread is using it. Then it stays
 * in the dump, and the builder reads it. */
void drain_pack_end(struct session *session);

#endif
