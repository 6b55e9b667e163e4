/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which thread writes to drain.seg, the file of all streams.
 */
#include "recorder/drain/output_shared.h"

#include "recorder/drain/drain_idle.h"
#include "recorder/ring/stream.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

#define TRIES    100
#define SLEEP_NS 100000 /* between two tries */

bool output_take_shared(struct session *session)
{
	/* L2: The flag saying that the file is free is read before what the last thread did with it. Pairs with L1 in
	 * output_leave_shared. */
	return !__atomic_exchange_n(&session->drain.is_file_taken, 1, __ATOMIC_ACQUIRE);
}

void output_leave_shared(struct session *session)
{
	/* L1: All that was done with the file is stored before the flag saying that it is free. Pairs with L2 in
	 * output_take_shared. */
	__atomic_store_n(&session->drain.is_file_taken, 0, __ATOMIC_RELEASE);
}

bool output_take_shared_patiently(struct session *session)
{
	for (unsigned n = 0; n < TRIES; n++) {
		if (output_take_shared(session))
			return true;
		sys_sleep(SLEEP_NS);
	}
	return false;
}

bool output_begin_sealing(struct session *session)
{
	if (!output_take_shared_patiently(session))
		return false;
	__atomic_store_n(&session->drain.sealer, stream_self(), __ATOMIC_RELAXED);
	return true;
}

void output_end_sealing(struct session *session)
{
	__atomic_store_n(&session->drain.sealer, 0, __ATOMIC_RELAXED);
	output_leave_shared(session);
}

bool output_is_sealing(const struct session *session)
{
	/* Relaxed: a thread looks for its own mark. */
	return __atomic_load_n(&session->drain.sealer, __ATOMIC_RELAXED) == stream_self();
}

bool output_is_sealing_packed(const struct session *session)
{
	/* Relaxed: a thread looks for its own mark. */
	return __atomic_load_n(&session->drain_pack.sealer, __ATOMIC_RELAXED) == stream_self();
}

bool output_may_share(const struct stream *stream, bool is_sealed)
{
	const struct session *session = stream->session;
	if (is_sealed)
		return !session->config.keeps_newest || !stream->file.exists;
	return !session->config.keeps_newest && !stream->file.exists && !drain_idle_takes(session);
}

bool output_may_wait(const struct stream *stream)
{
	/* Relaxed: a hint. */
	return output_may_share(stream, false) && __atomic_load_n(&stream->session->drain.is_file_taken, __ATOMIC_RELAXED);
}
