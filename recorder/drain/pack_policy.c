/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/pack_policy.h"

#include <sys/resource.h>

#include "recorder/clock.h"
#include "recorder/session/session.h"
#include "recorder/system/sys.h"

/* The shortest and the longest period in which segments are packed. */
#define PACK_MIN_NS UINT64_C(250000000)
#define PACK_MAX_NS UINT64_C(64000000000)

/* A write that waits for nothing takes 0.2 ns a byte, or 1 and more where the page cache needs fresh memory. Short waits
 * for the file system are no sign of a slow disk. */
#define SLOW_NS_PER_BYTE UINT64_C(1)
#define SLOW_NS          UINT64_C(200000)

void pack_begin(struct session *session)
{
	session->pack.is_on = session->config.pack == CONFIG_PACK_ON;
}

bool pack_is_on(struct session *session)
{
	/* Relaxed, here and below: hints. */
	if (!__atomic_load_n(&session->pack.is_on, __ATOMIC_RELAXED))
		return false;
	if (session->config.pack == CONFIG_PACK_AUTO &&
	    sys_clock_ns(CLOCK_MONOTONIC) >= __atomic_load_n(&session->pack.until_ns, __ATOMIC_RELAXED)) {
		__atomic_store_n(&session->pack.is_on, 0, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

void pack_disk_is_slow(struct session *session)
{
	if (session->config.pack != CONFIG_PACK_AUTO || __atomic_exchange_n(&session->pack.is_on, 1, __ATOMIC_RELAXED))
		return;
	uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t last_ns = __atomic_load_n(&session->pack.until_ns, __ATOMIC_RELAXED);
	uint64_t ns = __atomic_load_n(&session->pack.length_ns, __ATOMIC_RELAXED);
	ns = !ns || now_ns > last_ns + ns ? PACK_MIN_NS : ns < PACK_MAX_NS / 2 ? ns * 2 : PACK_MAX_NS;
	__atomic_store_n(&session->pack.length_ns, ns, __ATOMIC_RELAXED);
	__atomic_store_n(&session->pack.until_ns, now_ns + ns, __ATOMIC_RELAXED);
}

static uint64_t count_waits(void)
{
	struct rusage usage;
	return sys_getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nvcsw : 0;
}

struct pack_timing pack_write_begins(const struct session *session)
{
	if (session->config.pack != CONFIG_PACK_AUTO)
		return (struct pack_timing){0, 0};
	return (struct pack_timing){sys_clock_ns(CLOCK_MONOTONIC), count_waits()};
}

void pack_write_ends(struct session *session, const struct pack_timing *timing, uint64_t bytes)
{
	/* A thread that was preempted has not waited for the disk. */
	if (timing->begin_ns && sys_clock_ns(CLOCK_MONOTONIC) - timing->begin_ns > bytes * SLOW_NS_PER_BYTE + SLOW_NS &&
	    count_waits() > timing->n_waits)
		pack_disk_is_slow(session);
}
