/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/drain_pack.h"

#include <sys/mman.h>

#include "recorder/drain/direct.h"
#include "recorder/drain/file.h"
#include "recorder/drain/output.h"
#include "recorder/drain/output_shared.h"
#include "recorder/drain/pack_policy.h"
#include "recorder/drain/packer.h"
#include "recorder/guard.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

bool drain_pack_begin(struct session *session)
{
	/* Q6: The flag saying that the buffer is free is read before all that the last thread did with it and the file.
	 * Pairs with Q5 in drain_pack_done. */
	return !__atomic_exchange_n(&session->drain_pack.is_taken, 1, __ATOMIC_ACQUIRE);
}

bool drain_pack_can_begin(const struct session *session)
{
	return !__atomic_load_n(&session->drain_pack.is_taken, __ATOMIC_RELAXED);
}

void drain_pack_done(struct session *session)
{
	/* Q5: All that was done with the buffer and the file is stored before the flag saying that they are free. Pairs
	 * with Q6 in drain_pack_begin. */
	__atomic_store_n(&session->drain_pack.is_taken, 0, __ATOMIC_RELEASE);
}

/* Only the drain thread makes the buffer: it may map memory. */
static bool open_part(struct session *session, struct packer *packer)
{
	if (!packer->bytes) {
		size_t bytes = packer_space(session->config.segment_bytes, 1);
		void *space = sys_mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (!space)
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
		while (cause & FILE_LATER && output_waits_to_retry(session));
		packer_give_back(packer, part, cause == 0);
	}
	return cause;
}

/* Packs a segment, or writes it. */
static int write_or_pack(struct session *session, struct stream *stream, uint32_t index)
{
	struct packer *packer = &session->drain_pack.packer;
	const struct segment_header *segment = stream_segment(stream, index);
	uint64_t sequence = segment->sequence;
	while (open_part(session, packer)) {
		bool is_fresh = packer_is_fresh(packer);
		if (packer_add(packer, segment)) {
			/* W1: The segment's packed copy is stored before it is noted as written, as in output_segment. */
			__atomic_store_n(&stream->written[index], sequence, __ATOMIC_RELEASE);
			return 0;
		}
		if (is_fresh)
			break; /* it does not become smaller */
		packer_close(packer);
		int cause = drain_pack_write(session, packer);
		if (cause)
			return cause;
	}
	int cause;
	do
		cause = output_segment(stream, index, true);
	while (cause & FILE_LATER && output_waits_to_retry(session));
	return cause;
}

int drain_pack(struct session *session, struct stream *stream, const uint32_t *indices, uint32_t *n)
{
	int cause = 0;
	uint32_t done = 0;
	while (done < *n && !(cause = write_or_pack(session, stream, indices[done])))
		done++;
	*n = done;
	return cause;
}

bool drain_pack_begin_sealing(struct session *session)
{
	if (!pack_is_on(session) || !drain_pack_begin(session))
		return false;
	__atomic_store_n(&session->drain_pack.sealer, stream_self(), __ATOMIC_RELAXED);
	return true;
}

/* Writes what is in the buffer. It may exceed all limits, as the buffer and the rings are removed in exchange. */
static int write_sealed(struct session *session, struct packer *packer)
{
	uint32_t part;
	int cause = 0;
	if (packer->open != PACKER_NONE)
		packer_close(packer);
	if (packer_take(packer, &part)) {
		cause = output_part(session, packer, part, OUTPUT_SEALED);
		packer_give_back(packer, part, cause == 0);
	}
	return cause;
}

bool drain_pack_sealed(struct session *session, const struct segment_header *segment)
{
	struct packer *packer = &session->drain_pack.packer;
	/* No buffer is made here: a store to new memory may fault, and the program's handler may fork, which waits for a lock
	 * that the runtime holds while it ends. */
	if (!output_is_sealing_packed(session) || !packer->is_mapped || !pack_is_on(session))
		return false;
	while (open_part(session, packer)) {
		bool is_fresh = packer_is_fresh(packer);
		if (packer_add(packer, segment))
			return true;
		if (is_fresh || write_sealed(session, packer) != 0)
			return false;
	}
	return false;
}

void drain_pack_end(struct session *session)
{
	struct packer *packer = &session->drain_pack.packer;
	uint64_t signals;
	bool is_sealing = output_is_sealing_packed(session);
	if (!is_sealing && (!packer->is_mapped || !drain_pack_begin(session)))
		return;
	guard_hold_signals(&signals);
	if (packer->is_mapped && write_sealed(session, packer) == 0)
		packer_remove(session, packer);
	__atomic_store_n(&session->drain_pack.sealer, 0, __ATOMIC_RELAXED);
	drain_pack_done(session);
	guard_let_signals(&signals);
}
