/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all threads of a process do at the same time: who works, who waits, how many tasks are ready. One sweep over time
 * for all analyses that ask for it: its users say what they want to hear.
 *
 * The replay goes through the streams one by one, or through several at a time, so nothing happens at once there. What
 * it tells, each stream's states and how many tasks became ready or were begun on it, is kept as numbers over time
 * (builder/support/series.h), outside of memory but for the last of each. When the replay is over, time is cut into windows
 * as long as each other, and these are swept on all threads, each through all streams together. The memory that this takes
 * follows from the number of streams, not from the length of the run.
 *
 * Used by outputs that need it, through a sink.
 */
#ifndef OTTER_BUILDER_STATES_WINDOWS_H
#define OTTER_BUILDER_STATES_WINDOWS_H

#include "builder/replay/sink.h"
#include "builder/states/states.h"

/* What holds from one change to the next. */
struct moment {
	uint32_t n_threads[STATES]; /* that are in this state */
	uint32_t n_working;         /* threads in a task that does not wait */
	uint32_t n_free; /* threads that could begin a task: they wait for tasks or at barriers, are idle, or in the runtime */
	int64_t n_ready; /* tasks that a thread other than their creator could begin, and none has begun */
};

/* The windows of a process: window i is from bounds[i] to bounds[i + 1], in ticks. */
struct windows {
	const struct trace *trace;
	const uint64_t *bounds;
	size_t n;
	size_t n_changes; /* of all threads' states */
};

/*
 * Hears of each process in turn: begin, what is in its windows, end. Windows are swept on several threads at the same time,
 * each by one, in the order of time. What lies in two windows is cut between them. All but `self` may be NULL.
 */
struct window_user {
	void (*begin)(void *self, const struct windows *windows);
	/* The stream's thread is in this state. Of each stream in order, without gaps in its threads' lives. */
	void (*interval)(void *self, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks, uint64_t end_ticks);
	/* This holds for all streams together. In order, without gaps. */
	void (*moment)(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks);
	void (*end)(void *self, const struct windows *windows);
	int (*close)(void *self); /* 0, or -1 with the error printed; frees all */
	bool wants_all;           /* as many windows as there may be, however few changes of state there are */
	void *self;
};

/*
 * Fills in the sink. Each process has n_max windows, or as many as its threads had changes of state, if these are fewer and no user wants all. `dir`:
 * where there is room for files without a name. 0, or -1 with the error printed; then the users are closed.
 */
int sink_windows_open(struct sink *sink, const char *dir, size_t n_max, const struct window_user *users, size_t n_users);

#endif
