/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communicators of OpenMP's teams. Called by otf2.c for each process, and by current.c for the names of tasks. One
 * thread.
 */
#ifndef OTTER_BUILDER_OTF2_TEAM_COMMS_H
#define OTTER_BUILDER_OTF2_TEAM_COMMS_H

#include "builder/otf2/archive.h"

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

#endif
