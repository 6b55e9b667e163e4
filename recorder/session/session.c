/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session/session.h"

static struct session *current_session;

uint64_t session_lost_no_stream;
uint64_t session_lost_reentry;

struct session *session_get(void)
{
	/* C2: The pointer is read before the session. Pairs with C1 in session_set. */
	return __atomic_load_n(&current_session, __ATOMIC_ACQUIRE);
}

void session_set(struct session *session)
{
	/* C1: The session is stored before its pointer. Pairs with C2 in session_get. */
	__atomic_store_n(&current_session, session, __ATOMIC_RELEASE);
}
