/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's split taskloops (Q44 of docs/runtimes.md). LLVM's runtime splits a taskloop of many tasks: a task of
 * its own gets the second half, and creates the tasks of that half, or splits it once more. Such a task and all that it
 * creates name the task that encountered the taskloop as their parent. While it runs it is the current task of its
 * thread, so each task that it creates has been noted with it (task.in_place). But only after all streams is it known
 * whether its own parent is the one that it names. gather.c calls gather_settle_splits() once, after the last stream;
 * one thread.
 */
#include "builder/gather/stream.h"

/* A half has at least one iteration less than the whole, and numbers of iterations have 64 bits. */
#define DEPTH_MAX 64

/* The first task of the taskloop, which the encountering task itself created, and from which this one descends; 0: none. */
static uint32_t find_first(const struct model *m, uint32_t row)
{
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		if (m->tasks[row].in_place == 0)
			return row;
		row = m->tasks[row].in_place;
	}
	return 0; /* damaged records may form a cycle */
}

/* Is the task's creator one by which the runtime splits the taskloop that the task belongs to? */
static bool is_of_split(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row], *split = &m->tasks[task->in_place];
	const unsigned others = task_flags_untied | task_flags_target | task_flags_taskwait;
	bool is_task = split->state & TASK_CREATED && task_is_explicit(split) && !(split->flags & others);
	/* Both are created inside the runtime, and so have no address of their own, or the taskloop's. */
	bool is_same = task->construct == split->construct || m->constructs[task->construct].codeptr == 0;
	return is_task && split->parent == task->parent && is_same && find_first(m, row) != 0;
}

/* The task was not created by the task that was current at its creation. Counts a repair if no other rule explains that. */
static void reject(struct model *m, uint32_t row)
{
	const struct task *current = &m->tasks[m->tasks[row].in_place];
	if (!(current->flags & task_flags_untied && current->state & TASK_PART_ENDED)) /* Q33 */
		gather_repair_row(m, row, "created_by_another_task",
				  "names an encountering task that was not the one running when it was created");
	m->tasks[row].in_place = 0;
}

void gather_settle_splits(struct model *m)
{
	for (uint32_t row = 1; row < m->n_task_ids; row++) {
		if (task_in_place(&m->tasks[row]) == 0)
			continue;
		if (is_of_split(m, row))
			m->task_flags |= m->tasks[m->tasks[row].in_place].flags |= TASK_SPLIT;
		else
			reject(m, row);
	}
	/* All of them come from the construct that the first one of its kind has (Q9). */
	for (uint32_t row = 1; row < m->n_task_ids; row++)
		if (task_in_place(&m->tasks[row]) != 0)
			m->tasks[row].construct = m->tasks[find_first(m, row)].construct;
	for (uint32_t row = 1; row < m->n_task_ids; row++) {
		struct task *task = &m->tasks[row];
		if (!task_is_split(task))
			continue;
		task->construct = model_construct(m, CONSTRUCT_TASKLOOP_SPLIT, m->constructs[task->construct].codeptr);
		tally_add(&m->notes->quirks, "taskloop_split", 1);
	}
}
