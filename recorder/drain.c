/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <ck_pr.h>

#include "recorder/clock.h"
#include "recorder/file.h"
#include "recorder/guard.h"
#include "recorder/maps.h"
#include "recorder/meta.h"
#include "recorder/output.h"
#include "recorder/session.h"
#include "recorder/session_turn.h"
#include "recorder/stream.h"

#define DRAIN_STACK_BYTES (256 << 10)
#define MAPS_INTERVAL_NS  UINT64_C(1000000000) /* between two looks at the address space */
#define AGAIN_NS          10000000             /* between two tries to write what could not be written just now */

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1) /* Linux 5.9 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static cpu_set_t process_affinity;
static bool has_affinity;

void drain_remember_affinity(void)
{
	has_affinity = sched_getaffinity(0, sizeof process_affinity, &process_affinity) == 0;
}

/* Is there work? Only looked at before sleep. */
static bool has_work(struct session *session)
{
	if (__atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED))
		return true;
	if (session_stopped(session))
		return false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		struct stream *stream = session_stream(session, i);
		struct stream *samples = session_stream(session, i | ID_STREAM_SAMPLES);
		if ((stream && handover_has(&stream->full)) || (samples && handover_has(&samples->full)))
			return true;
	}
	return false;
}

/* The drain thread may wait where others may not: what cannot be written for want of a descriptor or of memory is tried until it can, or until
 * somebody says that all is over; then the sealing of its stream writes it. */
static int write_patiently(struct session *session, struct stream *stream, uint32_t index)
{
	const struct timespec pause = {.tv_nsec = AGAIN_NS};
	int cause;
	while ((cause = output_segment(stream, index, true)) & FILE_LATER && !session_stopped(session) &&
	       !__atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED))
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	return cause;
}

/* One segment of a stream. False: there was none. */
static bool drain_one(struct session *session, struct stream *stream)
{
	uint32_t index;
	if (!stream || session_stopped(session) || !handover_take_any(&stream->full, &index))
		return false;
	int cause = write_patiently(session, stream, index);
	if (cause == 0)
		handover_put(&stream->empty, index);
	else if (!(cause & FILE_LATER))
		session_stop(session, (unsigned)cause); /* the segment stays as it is in the ring, where it can be read */
	return true;
}

bool drain_round(struct session *session)
{
	bool has_done = false;
	for (uint32_t i = 0; i < session_n_streams(session); i++) {
		has_done |= drain_one(session, session_stream(session, i));
		has_done |= drain_one(session, session_stream(session, i | ID_STREAM_SAMPLES));
	}
	return has_done;
}

/* How many threads the process has (a main thread that has exited stays one of them until the end), and has the main thread exited? */
static unsigned count_threads(bool *has_main_exited)
{
	char text[1024];
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strrchr(text, ')'); /* behind the program's name, which may hold anything */
	*has_main_exited = at && at[1] == ' ' && at[2] == 'Z';
	for (unsigned field = 2; at && field < 20; field++)
		at = strchr(at + 1, ' ');
	return at ? (unsigned)strtoul(at, NULL, 10) : 0;
}

/* Has everybody else exited? A thread that was recorded sees to that itself (drain_thread_exits); where another was the last, it is found out
 * within a second. */
static bool is_last_thread(void)
{
	bool has_main_exited;
	return count_threads(&has_main_exited) == 2 && has_main_exited;
}

/* Only the calling thread is left, beside the drain thread. */
static bool is_last_but_one(void)
{
	bool has_main_exited;
	unsigned n = count_threads(&has_main_exited);
	return gettid() == getpid() ? n == 2 : n == 3 && has_main_exited;
}

/* False: it has to end. */
static bool sleep_until_woken(struct session *session)
{
	/* D1: says that it sleeps, then looks once more; pairs with D2 in drain_wake, which publishes work, then looks whether it sleeps. */
	__atomic_store_n(&session->drain_sleeps, 1, __ATOMIC_RELAXED);
	ck_pr_fence_memory();
	if (has_work(session)) {
		__atomic_store_n(&session->drain_sleeps, 0, __ATOMIC_RELAXED);
		return true;
	}
	const struct timespec second = {.tv_sec = 1};
	/* D4: pairs with D3 in wake: the work for which it was woken is seen at once, not only with the look before the next sleep. */
	while (__atomic_load_n(&session->drain_sleeps, __ATOMIC_ACQUIRE)) {
		long rc = syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAIT_PRIVATE, 1, &second, NULL, 0);
		if (rc != 0 && errno == ETIMEDOUT && is_last_thread())
			return false;
	}
	return true;
}

/* From here on the thread has a table of descriptors of its own, and nothing in it: a program that closes all of its descriptors cannot close
 * ours between our opening and our writing, and have our bytes in the file that gets the number; nor do we need one of its numbers where it has
 * none left. Before the thread is of idle priority: what the program closes meanwhile must not wait for it. Older kernels refuse, and the
 * table stays the program's. */
static void leave_descriptors(void)
{
	syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE);
}

static void *drain_main(void *argument)
{
	struct session *session = argument;
	/* Idle priority: threads that find no free segment write one themselves. Where they drop records instead, nobody else would write as long
	 * as all processors are busy. */
	struct sched_param parameter = {0};
	if (session->is_of_parent)
		return NULL;
	leave_descriptors();
	if (!session->config.drops_when_full)
		sched_setscheduler(0, SCHED_IDLE, &parameter);
	if (has_affinity)
		sched_setaffinity(0, sizeof process_affinity, &process_affinity);
	prctl(PR_SET_NAME, "otter-drain");
	while (!__atomic_load_n(&session->must_drain_end, __ATOMIC_RELAXED)) {
		if (!drain_round(session)) {
			if (!sleep_until_woken(session))
				break;
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
	session->maps_checked_ns = clock_ns(CLOCK_MONOTONIC);
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, DRAIN_STACK_BYTES);
	/* The program's signals are not ours to take. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&session->drain_thread, &attributes, drain_main, session);
	if (error) { /* a program with much TLS does not fit into a small stack */
		pthread_attr_setstacksize(&attributes, 8u << 20);
		error = pthread_create(&session->drain_thread, &attributes, drain_main, session);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (error)
		return false;
	__atomic_store_n(&session->is_drain_running, 1, __ATOMIC_RELEASE); /* E1: pairs with E2 in drain_thread_exits */
	return true;
}

static void wake(struct session *session)
{
	/* D3: what there is to do before the word that it may not sleep; pairs with D4 in sleep_until_woken. */
	if (__atomic_exchange_n(&session->drain_sleeps, 0, __ATOMIC_RELEASE))
		syscall(SYS_futex, &session->drain_sleeps, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
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
	if (__atomic_load_n(&session->drain_sleeps, __ATOMIC_RELAXED))
		wake(session);
}

void drain_thread_exits(struct session *session)
{
	struct guard guard = guard_enter();
	/* E2: the thread's handle behind the word that it is there; pairs with E1 in start. */
	if (__atomic_load_n(&session->is_drain_running, __ATOMIC_ACQUIRE) && is_last_but_one()) {
		__atomic_store_n(&session->has_drain_thread, false, __ATOMIC_RELAXED); /* from now on each thread its own */
		__atomic_store_n(&session->is_drain_running, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&session->must_drain_end, 1, __ATOMIC_RELAXED);
		ck_pr_fence_memory(); /* D2, as in drain_wake */
		wake(session);
		pthread_join(session->drain_thread, NULL);
	}
	guard_leave(guard);
}
