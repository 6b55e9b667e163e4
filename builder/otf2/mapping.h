/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the numbers that a location's events have to those of the archive. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_MAPPING_H
#define OTTER_BUILDER_OTF2_MAPPING_H

#include "builder/otf2/archive.h"
#include "builder/model/state.h"
#include "builder/replay/replay.h"
#include "builder/model/tables.h"

/* Called before the first event of a process: its locations' tables continue the archive's. */
void mapping_begin(struct archive *a);

/*
 * Puts the location's own strings, regions and communicators into the archive, and writes its local definitions: tables
 * that map those of its numbers which differ from the archive's. Has to be called for one location after the other, in
 * their order. 0 or -1.
 */
int mapping_write(struct archive *a, uint32_t stream);

/* Writes local definitions without any. Consumers refuse archives without the file. 0 or -1. */
int mapping_write_none(struct archive *a, uint64_t id);

/* ---- Part ---- */

/*
 * A part of the time (--from, --to): takes the place of event_ops (events.h), and lets the writer follow all events, but
 * write only what lies in the part. Runs on one thread at a time for each location.
 */

extern const struct replay_ops part_ops;

/* As event_state. */
int part_state(void *self, uint32_t stream, enum state from, uint64_t since_ticks, enum state to, uint64_t ticks);

/* ---- Trace id ---- */

/*
 * The archive's identifier, which readers show and some use as a key. Called by otf2.c when the archive is closed.
 */

/*
 * A hash over what distinguishes these dumps from any others: the same dumps in the same order have the same identifier
 * in every run.
 */
uint64_t trace_id_of(const struct trace *traces, size_t n_traces);

/* Gives the closed archive with this anchor file the identifier `id`. 0, or -1 after error(). */
int trace_id_set(const char *anchor, uint64_t id);

/* ---- Team comms ---- */

/*
 * The communicators of OpenMP's teams. Called by otf2.c for each process, and by current.c for the names of tasks. One
 * thread.
 */

/* Defines the communicators of the teams of the process that begins. */
void team_comms_begin(struct archive *a);
void team_comms_free(struct process *p);

/* The communicator of a team, which is not 0. */
static inline uint32_t team_comm(const struct process *p, uint32_t team)
{
	return p->team_comms[team];
}

/*
 * Does a helper thread of the runtime (Q22) run the task, a target task or a child of one, which is not in the task's
 * binding team? Then the archive has it as a task of the helpers' team, where it runs.
 */
bool task_is_helped(const struct process *p, uint32_t task);

/* Is it one that is created on a stream outside of that team? The thread is in the team then, for as long as that takes. */
bool helpers_have_guest(const struct process *p, uint32_t task, uint32_t stream);

#endif
