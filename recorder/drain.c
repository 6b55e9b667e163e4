/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/maps.h"
#include "recorder/meta.h"
#include "recorder/segment.h"
#include "recorder/session.h"
#include "recorder/stream.h"

#define DRAIN_STACK_BYTES (256 * 1024)
#define MAPS_INTERVAL_NS  UINT64_C(1000000000) /* between two looks at the address space */

static cpu_set_t process_affinity;
static bool has_affinity;

void drain_remember_affinity(void)
{
	has_affinity = sched_getaffinity(0, sizeof process_affinity, &process_affinity) == 0;
}

/* Is there work? Only looked at before sleep. */
static bool has_work(struct session *session)
{
	if (session_stopped(session))
		return false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		if (stream && handover_has(&stream->full))
			return true;
	}
	return false;
}

bool drain_round(struct session *session)
{
	bool has_done = false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		uint32_t index;
		if (!stream || session_stopped(session))
			continue;
		if (!handover_take_any(&stream->full, &index))
			continue;
		has_done = true;
		int cause = segment_write(stream, index, true);
		if (cause) {
			/* The segment stays as it is in the ring, where it can be read. */
			session_stop(session, (unsigned)cause);
			continue;
		}
		handover_put(&stream->empty, index);
	}
	return has_done;
}

static void sleep_until_woken(struct session *session)
{
	/* D1: says that it sleeps, then looks once more; pairs with D2 in drain_wake, which publishes work, then looks whether it sleeps. */
	__atomic_store_n(&session->drain_sleeps, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	if (has_work(session)) {
		__atomic_store_n(&session->drain_sleeps, 0, __ATOMIC_RELAXED);
		return;
	}
	while (__atomic_load_n(&session->drain_sleeps, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static void *drain_main(void *argument)
{
	struct session *session = argument;
	struct sched_param parameter = {0};
	sched_setscheduler(0, SCHED_IDLE, &parameter);
	if (has_affinity)
		sched_setaffinity(0, sizeof process_affinity, &process_affinity);
	prctl(PR_SET_NAME, "otter-drain");
	for (;;) {
		if (!drain_round(session)) {
			sleep_until_woken(session);
		} else if (clock_ns(CLOCK_MONOTONIC) - session->maps_checked_ns > MAPS_INTERVAL_NS) {
			session->maps_checked_ns = clock_ns(CLOCK_MONOTONIC);
			maps_write_if_changed(session);
		}
	}
	return NULL;
}

static bool start(struct session *session)
{
	sigset_t all, before;
	pthread_attr_t attributes;
	pthread_t thread;
	session->maps_checked_ns = clock_ns(CLOCK_MONOTONIC);
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, DRAIN_STACK_BYTES);
	/* The program's signals are not ours to take. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, &attributes, drain_main, session);
	if (error) { /* a program with much TLS does not fit into a small stack */
		pthread_attr_setstacksize(&attributes, 8u << 20);
		error = pthread_create(&thread, &attributes, drain_main, session);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

void drain_wake(struct session *session)
{
	if (!session->has_drain_thread)
		return;
	if (unlikely(!__atomic_load_n(&session->is_drain_started, __ATOMIC_RELAXED))) {
		if (__atomic_exchange_n(&session->is_drain_started, 1, __ATOMIC_RELAXED))
			return; /* somebody is at it; the thread begins with a look at every stream */
		if (!start(session)) {
			__atomic_store_n(&session->has_drain_thread, false, __ATOMIC_RELAXED);
			meta_note(session, "no drain thread could be started: threads write themselves");
		}
		return;
	}
	ck_pr_fence_memory(); /* D2: the work before the look; pairs with D1 in sleep_until_woken */
	if (!__atomic_load_n(&session->drain_sleeps, __ATOMIC_RELAXED))
		return;
	if (__atomic_exchange_n(&session->drain_sleeps, 0, __ATOMIC_RELEASE))
		syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
