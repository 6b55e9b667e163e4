/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For which tasks is the task that creates them suspended until they end, by the text of the program? Runtimes report
 * a task as undeferred where the program asks for that (if(0), or the parent is final: OpenMP 5.1 sections 2.12.1 and
 * 1.2.5), and wherever else they execute it at once. Called by builder/graph/undeferred.c, on any thread: it only
 * reads.
 */
#include "builder/model/tables.h"

/*
 * LLVM's runtime calls every task undeferred in a team of one, and in any team under KMP_TASKING=0 (Q50). In larger
 * teams it is the program that makes a task undeferred: a task that is executed at once since the queue is full does
 * not have the flag. Of other runtimes nothing is known. But the children of a final task are undeferred whatever the
 * runtime and the team.
 */
enum suspension model_suspends(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row], *parent = &m->tasks[task->parent];
	const struct region *region = &m->regions[task->region];
	bool is_alone = region->actual <= 1 || region->flags & parallel_flags_league; /* each initial task of a league is */
	if (!task_is_explicit(task) || !(task->flags & task_flags_undeferred) || task->flags & task_flags_taskwait)
		return SUSPENDS_NOT;
	if (task_is_explicit(parent) && parent->flags & task_flags_final)
		return SUSPENDS;
	return m->is_libomp && !m->is_immediate && !is_alone ? SUSPENDS : SUSPENDS_MAYBE;
}
