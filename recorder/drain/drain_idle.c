/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/drain_idle.h"

#include <sched.h>
#include <sys/resource.h>

#include "recorder/clock.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

/* From the wake-up to the first instruction an idle processor takes some microseconds; in a virtual machine, whose idle
 * processors are descheduled, up to a hundred. If another thread runs, it takes the rest of that thread's slice at
 * least. */
#define WOKEN_LATE_NS UINT64_C(300000)

/* A yield takes less than a microsecond if no other thread waits for the processor. */
#define YIELD_LATE_NS UINT64_C(30000)

/* How long it stays away: twice as long after each failed check, half as long after each check that succeeds. */
#define AWAY_MIN_NS UINT64_C(1000000)
#define AWAY_MAX_NS UINT64_C(100000000)

static void go_away(struct session *session, uint64_t now_ns)
{
	if (session->idle.stays)
		return;
	session->idle.away_ns = session->idle.away_ns ? session->idle.away_ns * 2 : AWAY_MIN_NS;
	if (session->idle.away_ns > AWAY_MAX_NS)
		session->idle.away_ns = AWAY_MAX_NS;
	/* Relaxed: hints. A thread that reads an old one hands a segment over that the drain thread does not take, and
	 * writes it later. */
	__atomic_store_n(&session->idle.away_until_ns, now_ns + session->idle.away_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&session->idle.is_away, 1, __ATOMIC_RELAXED);
}

static uint64_t count_preemptions(void)
{
	struct rusage usage;
	return sys_getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void drain_idle_begin(struct session *session)
{
	if (!session->idle.stays)
		sys_setscheduler(SCHED_BATCH);
	session->idle.n_preemptions = count_preemptions();
}

void drain_idle_woken(struct session *session)
{
	uint64_t woken_ns = __atomic_exchange_n(&session->idle.woken_ns, 0, __ATOMIC_RELAXED);
	if (!woken_ns)
		return;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	session->idle.n_preemptions = count_preemptions(); /* those before this moment do not count */
	if (now_ns > woken_ns + WOKEN_LATE_NS)
		go_away(session, now_ns);
	else if (now_ns >= session->idle.away_until_ns)
		__atomic_store_n(&session->idle.is_away, 0, __ATOMIC_RELAXED);
}

bool drain_idle_check(struct session *session)
{
	if (session->idle.stays)
		return true;
	uint64_t before_ns = sys_clock_ns(CLOCK_MONOTONIC);
	sys_yield();
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC), preemptions = count_preemptions();
	bool was_alone = now_ns - before_ns < YIELD_LATE_NS && preemptions == session->idle.n_preemptions;
	session->idle.n_preemptions = preemptions;
	if (was_alone)
		session->idle.away_ns /= 2;
	else
		go_away(session, now_ns);
	return was_alone;
}

bool drain_idle_is_away(const struct session *session)
{
	return __atomic_load_n(&session->idle.is_away, __ATOMIC_RELAXED);
}

bool drain_idle_takes(const struct session *session)
{
	if (!session->drain.has_thread || drain_idle_is_away(session))
		return false;
	if (session->budget.is_served)
		return true;
	uint64_t woken_ns = __atomic_load_n(&session->idle.woken_ns, __ATOMIC_RELAXED);
	return !woken_ns || sys_clock_ns(CLOCK_MONOTONIC) < woken_ns + WOKEN_LATE_NS;
}

bool drain_idle_is_due(const struct session *session)
{
	return !drain_idle_is_away(session) ||
	       sys_clock_ns(CLOCK_MONOTONIC) >= __atomic_load_n(&session->idle.away_until_ns, __ATOMIC_RELAXED);
}
