/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/session.h"

static struct session *current_session;

uint64_t session_lost_no_stream;
uint64_t session_lost_reentry;

struct session *session_get(void)
{
	return __atomic_load_n(&current_session, __ATOMIC_ACQUIRE); /* C2: pairs with C1 in session_set */
}

void session_set(struct session *session)
{
	/* C1: the session before its pointer; pairs with C2 in session_get */
	__atomic_store_n(&current_session, session, __ATOMIC_RELEASE);
}
