/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain_idle.h"

#include <sched.h>
#include <sys/resource.h>

#include "recorder/clock.h"

/* From the wake-up to the thread's first step on an idle processor: a few microseconds, in a virtual machine, whose idle
 * processors stand still, up to a hundred. If another thread has the processor, it is at least the rest of that one's slice. */
#define WOKEN_LATE_NS UINT64_C(300000)

/* A yield on a processor that nobody else wants takes less than a microsecond. */
#define YIELD_LATE_NS UINT64_C(30000)

/* How long it stays away: doubled each time that it comes back in vain, halved with each time that it does not. */
#define AWAY_MIN_NS UINT64_C(1000000)
#define AWAY_MAX_NS UINT64_C(100000000)

static void go_away(struct session *session, uint64_t now_ns)
{
	if (session->drain_stays)
		return;
	session->drain_away_ns = session->drain_away_ns ? session->drain_away_ns * 2 : AWAY_MIN_NS;
	if (session->drain_away_ns > AWAY_MAX_NS)
		session->drain_away_ns = AWAY_MAX_NS;
	/* Relaxed: hints. A thread that reads an old one hands a segment over that nobody takes, and writes it later. */
	__atomic_store_n(&session->drain_away_until_ns, now_ns + session->drain_away_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&session->drain_is_away, 1, __ATOMIC_RELAXED);
}

static uint64_t count_preemptions(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

void drain_idle_begin(struct session *session)
{
	struct sched_param parameter = {0};
	if (!session->drain_stays)
		sched_setscheduler(0, SCHED_BATCH, &parameter);
	session->drain_preemptions = count_preemptions();
}

void drain_idle_woken(struct session *session)
{
	uint64_t woken_ns = __atomic_exchange_n(&session->drain_woken_ns, 0, __ATOMIC_RELAXED);
	if (!woken_ns)
		return;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	session->drain_preemptions = count_preemptions(); /* those while it looked for work do not count */
	if (now_ns > woken_ns + WOKEN_LATE_NS)
		go_away(session, now_ns);
	else if (now_ns >= session->drain_away_until_ns)
		__atomic_store_n(&session->drain_is_away, 0, __ATOMIC_RELAXED);
}

bool drain_idle_goes_on(struct session *session)
{
	if (session->drain_stays)
		return true;
	uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
	sched_yield();
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), preemptions = count_preemptions();
	bool was_alone = now_ns - before_ns < YIELD_LATE_NS && preemptions == session->drain_preemptions;
	session->drain_preemptions = preemptions;
	if (was_alone)
		session->drain_away_ns /= 2;
	else
		go_away(session, now_ns);
	return was_alone;
}

bool drain_idle_is_away(const struct session *session)
{
	return __atomic_load_n(&session->drain_is_away, __ATOMIC_RELAXED);
}

bool drain_idle_takes(const struct session *session)
{
	if (!session->has_drain_thread || drain_idle_is_away(session))
		return false;
	uint64_t woken_ns = __atomic_load_n(&session->drain_woken_ns, __ATOMIC_RELAXED);
	return !woken_ns || clock_ns(CLOCK_MONOTONIC) < woken_ns + WOKEN_LATE_NS;
}

bool drain_idle_is_due(const struct session *session)
{
	return !drain_idle_is_away(session) ||
	       clock_ns(CLOCK_MONOTONIC) >= __atomic_load_n(&session->drain_away_until_ns, __ATOMIC_RELAXED);
}
