/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/session_turn.h"

#include <stdalign.h>

#include "recorder/clock.h"
#include "recorder/ring/stream.h"
#include "recorder/session/meta.h"

alignas(CACHE_LINE_BYTES) uint64_t record_epoch = EPOCH_STEP;

void session_turn(uint64_t set, uint64_t clear)
{
	uint64_t old = __atomic_load_n(&record_epoch, __ATOMIC_RELAXED);
	uint64_t next;
	/* G3: The cause of the turn is stored before the epoch. Pairs with G4 in record_gate. */
	do
		next = ((old & ~EPOCH_FLAGS) + EPOCH_STEP) | (((old & EPOCH_FLAGS) | set) & ~clear);
	while (!__atomic_compare_exchange_n(&record_epoch, &old, next, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	/* G1: Changes the epoch, then closes the fast path of every stream. Pairs with G2 in segment_admit, which opens
	 * the path, then reads the epoch. One of the two sees the other's store. */
	ck_pr_fence_memory();
	struct session *session = session_get();
	for (uint32_t i = 0; session && i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream)
			__atomic_store_n(&stream->limit, 0, __ATOMIC_RELAXED);
	}
}

void session_stop(struct session *session, unsigned cause)
{
	uint32_t none = 0;
	/* Relaxed: session_turn() orders it (G3). */
	if (!__atomic_compare_exchange_n(&session->stop.cause, &none, cause, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&session->stop.ticks, clock_ticks(), __ATOMIC_RELAXED); /* meta_end() may read it */
	session_turn(EPOCH_STOPPED, 0);
	bool is_half_taken = __atomic_load_n(&session->budget.is_half_taken, __ATOMIC_RELAXED);
	meta_stopped(
		session,
		cause == loss_cause_limit && is_half_taken
			? "recording stopped: the run has taken half of the space that was free at its start (OTTER_LIMIT allows "
			  "another amount; OTTER_KEEP=newest, otter-record --keep=newest, keeps the newest records instead)"
		: cause == loss_cause_limit
			? "recording stopped: the limit is reached (OTTER_LIMIT, or RLIMIT_FSIZE; OTTER_KEEP=newest, otter-record "
			  "--keep=newest, keeps the newest records instead)"
		: cause == loss_cause_no_space
			? "recording stopped: the file system of the dump is full, but for what is left to others "
			  "(OTTER_KEEP=newest, otter-record --keep=newest, takes less)"
			: "recording stopped: a file of the dump could not be written");
}
