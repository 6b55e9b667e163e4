/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/ring/stream.h"

#include "recorder/session/session.h"

const struct stream stream_none = {.is_busy = true};
const struct stream stream_changing = {.is_busy = true};
__thread struct stream *tls_stream = STREAM_NONE;

bool stream_own(struct stream *stream, uintptr_t owner)
{
	uintptr_t expected = STREAM_FREE;
	if (__atomic_load_n(&stream->owner, __ATOMIC_RELAXED) != STREAM_FREE)
		return false; /* most streams are not free: their cache line stays where it is */
	/* T1: The flag saying that the stream is free is read before all that the last owner wrote. Pairs with T2 in
	 * stream_release and stream_disown. */
	return __atomic_compare_exchange_n(&stream->owner, &expected, owner, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void stream_disown(struct stream *stream)
{
	/* T2: All that this owner wrote is stored before the flag saying that the stream is free. Pairs with T1 in stream_own. */
	__atomic_store_n(&stream->owner, STREAM_FREE, __ATOMIC_RELEASE);
}

bool stream_claim(struct stream *stream, uintptr_t owner)
{
	if (!stream_own(stream, owner))
		return false;
	__atomic_fetch_sub(&stream->session->streams.n_free, 1, __ATOMIC_RELAXED);
	return true;
}
