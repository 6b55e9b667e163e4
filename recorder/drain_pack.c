/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain_pack.h"

#include <sys/mman.h>

#include "recorder/direct.h"
#include "recorder/drain.h"
#include "recorder/file.h"
#include "recorder/guard.h"
#include "recorder/output.h"
#include "recorder/packer.h"
#include "recorder/session.h"
#include "recorder/stream.h"

bool drain_pack_begin(struct session *session)
{
	/* Q6: All that the last one has done with the buffer and the file. Pairs with Q5 in drain_pack_done. */
	return !__atomic_exchange_n(&session->is_packer_taken, 1, __ATOMIC_ACQUIRE);
}

bool drain_pack_can_begin(const struct session *session)
{
	return !__atomic_load_n(&session->is_packer_taken, __ATOMIC_RELAXED);
}

void drain_pack_done(struct session *session)
{
	/* Q5: All that was done with the buffer and the file comes before the word that it is free. Pairs with Q6 in
	 * drain_pack_begin. */
	__atomic_store_n(&session->is_packer_taken, 0, __ATOMIC_RELEASE);
}

/* Only the drain thread makes the buffer: it may ask for memory. */
static bool open_part(struct session *session, struct packer *packer)
{
	if (!packer->bytes) {
		size_t bytes = packer_space(session->config.segment_bytes, 1);
		void *space = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (space == MAP_FAILED)
			return false;
		packer_init(packer, space, FILE_NO_NUMBER, session->config.segment_bytes, 1);
	}
	return packer->open != PACKER_NONE || packer_open(session, packer);
}

int drain_pack_write(struct session *session, struct packer *packer)
{
	uint32_t part;
	int cause = 0;
	direct_resume(session);
	while (!cause && packer_take(packer, &part)) {
		do
			cause = output_part(session, packer, part, OUTPUT_BY_DRAIN);
		while (cause & FILE_LATER && drain_may_wait(session));
		packer_give_back(packer, part, cause == 0);
	}
	return cause;
}

/* Packs a segment, or writes it. */
static int put_away(struct session *session, struct stream *stream, uint32_t index)
{
	struct packer *packer = &session->packer;
	const struct segment_header *segment = stream_segment(stream, index);
	uint64_t sequence = segment->sequence;
	while (open_part(session, packer)) {
		bool is_fresh = packer_is_fresh(packer);
		if (packer_add(packer, segment)) {
			/* W1: The segment's packed copy comes before it is noted as written, as in output_segment. */
			__atomic_store_n(&stream->written[index], sequence, __ATOMIC_RELEASE);
			return 0;
		}
		if (is_fresh)
			break; /* it does not become less */
		packer_close(packer);
		int cause = drain_pack_write(session, packer);
		if (cause)
			return cause;
	}
	int cause;
	do
		cause = output_segment(stream, index, true);
	while (cause & FILE_LATER && drain_may_wait(session));
	return cause;
}

int drain_pack(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	int cause = 0;
	uint32_t done = 0;
	while (done < *n && !(cause = put_away(session, stream, indices[done])))
		done++;
	*n = done;
	return cause;
}

void drain_pack_end(struct session *session)
{
	struct packer *packer = &session->packer;
	uint32_t part;
	sigset_t signals;
	if (!packer->is_mapped || !drain_pack_begin(session))
		return;
	guard_hold_signals(&signals);
	if (packer->open != PACKER_NONE)
		packer_close(packer);
	int cause = 0;
	if (packer_take(packer, &part)) {
		cause = output_part(session, packer, part, OUTPUT_SEALED);
		packer_give_back(packer, part, cause == 0);
	}
	if (!cause)
		packer_remove(session, packer);
	drain_pack_done(session);
	guard_let_signals(&signals);
}
