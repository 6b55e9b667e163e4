/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records when each thread had no processor, and why: the kernel records the context switches of a thread (one software
 * event of perf) into memory that it shares with this process, and a thread that polls copies them from there into the
 * stream of switches, which all threads share. Callbacks do nothing for it.
 *
 * The drain thread polls, or, without one, a thread that writes a segment itself; and each thread copies its own
 * switches at its end. One of them at a time owns the stream of switches. A thread that finds it owned by another does
 * not wait: its records stay in that memory, also after the thread's end, until the next poll.
 *
 * Each switch costs the thread about a microsecond more than without the event. So for a thread with very many switches
 * the recording is paused, and resumed after a while, which is longer each time: such a pause is recorded as unknown.
 *
 * Where the kernel refuses the event or its memory, a poll reads how long the thread has run and has waited for a
 * processor instead (processor_time.h).
 */
#ifndef OTTER_RECORDER_SWITCHES_H
#define OTTER_RECORDER_SWITCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"

struct session;
struct stream;

/* An interval in which the thread had no processor. */
struct off_interval {
	uint64_t begin_ns;
	uint64_t end_ns; /* 0: it is not over */
	uint32_t why;
	uint32_t cpu, next_cpu;
	uint32_t n_lost;
};

#define SWITCH_GROUP_MAX 16

/* What is copied of one thread at once: intervals without a processor, up to a time. */
struct switch_group {
	struct stream *of;
	uint64_t from_ns;
	struct clock_triple now;
	bool is_first;
	uint32_t n;
	struct off_interval offs[SWITCH_GROUP_MAX];
};

/* Part of struct session: when the kernel's records were copied last, and when they are copied next. */
struct switch_poll {
	/* switches_poll(), for files below this one. NULL: no switches are recorded. */
	void (*poll)(struct session *session, struct stream *own_stream);
	bool is_refused;        /* the kernel refuses to record switches */
	bool is_recorded;       /* it records those of one thread at least */
	uint64_t last_ns;       /* the time of the last poll */
	uint64_t interval_ns;   /* from one poll to the next */
	uint64_t fast_until_ns; /* until then it is POLL_FAST_NS at most */
	void *kept_event;       /* the drain thread's own event, from the first pause on */
	/* Used by the owner of the stream of switches. It is not on the stack, which may be a user-level thread's. */
	struct switch_group group;
	uint64_t mask[128]; /* the same; for 8,192 processors, as many as Linux has */
};

/* Makes the stream of switches, if OTTER_EVENTS selects them. To be called for each session, before its first stream. */
void switches_setup(struct session *session);

/* Begins to record the switches of the calling thread, which has just taken the stream. */
void switches_begin(struct stream *stream);

/* Copies the rest of the switches of the stream's thread, and ends its recording. The calling thread is about to
 * release the stream, or ends the session. */
void switches_end(struct stream *stream);

/* Copies the kernel's records of all threads, if the last poll is at least an interval ago. The drain thread calls it
 * whenever it wakes, with NULL. A thread whose segment is full calls it with its own stream and its signals held: it
 * polls only if the drain thread is late, or if there is none. Before that, the recording of its own switches is
 * resumed if its pause is over. */
void switches_poll(struct session *session, struct stream *own_stream);

/* Polls for the last time, and seals the stream of switches. */
void switches_seal(struct session *session);

#endif
