/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What all threads of a process do at the same time: how many work and how many wait, and how many tasks are ready. One
 * sweep over time serves all analyses that need it, its users.
 *
 * The replay takes the streams one by one, or several at a time, so it does not show what happens at the same time. What
 * it reports, each stream's states and how many tasks became ready or were begun on it, is kept as numbers over time
 * (builder/support/series.h), in a file except for the latest of each. When the replay is over, time is cut into windows of
 * equal length, and all threads sweep these, each window through all streams together. The memory that this takes depends
 * on the number of streams, not on the length of the run.
 */
#ifndef OTTER_BUILDER_STATES_WINDOWS_H
#define OTTER_BUILDER_STATES_WINDOWS_H

#include "builder/replay/sink.h"
#include "builder/states/states.h"

/* The counts from one change to the next. */
struct moment {
	uint32_t n_threads[STATES]; /* threads in this state */
	uint32_t n_working;         /* threads in a task that does not wait */
	uint32_t n_free; /* threads that could begin a task: they wait for tasks or at barriers, are idle, or in the runtime */
	int64_t n_ready; /* tasks that a thread other than their creator could begin, and that have not begun */
};

/* The windows of a process: window i is from bounds[i] to bounds[i + 1], in ticks. */
struct windows {
	const struct trace *trace;
	const uint64_t *bounds;
	size_t n;
	size_t n_changes; /* of all threads' states */
};

/*
 * Called for each process in turn: begin, then interval and moment for its windows, then end. Windows are swept on several
 * threads at the same time, each window on one thread, in the order of time. What lies in two windows is cut between them.
 * All but `self` may be NULL.
 */
struct window_user {
	void (*begin)(void *self, const struct windows *windows);
	/* The stream's thread is in this state. For each stream in order, without gaps in its threads' lives. */
	void (*interval)(void *self, size_t window, uint32_t stream, enum state state, uint64_t begin_ticks, uint64_t end_ticks);
	/* This holds for all streams together. In order, without gaps. */
	void (*moment)(void *self, size_t window, const struct moment *moment, uint64_t begin_ticks, uint64_t end_ticks);
	void (*end)(void *self, const struct windows *windows);
	int (*close)(void *self); /* 0, or -1 with the error printed; frees all */
	bool wants_all;           /* wants the maximum number of windows, however few changes of state there are */
	void *self;
};

/*
 * Fills in the sink. Each process has n_max windows, or as many as its threads had changes of state, if these are fewer and no
 * user wants all. `dir`: the folder for unnamed temporary files. 0, or -1 with the error printed; then the users are closed.
 */
int sink_windows_open(struct sink *sink, const char *dir, size_t n_max, const struct window_user *users, size_t n_users);

#endif
