/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass's tasks, once all streams are known: fills in what a row's own stream does not have, such as the
 * parents of implicit tasks and the regions that explicit tasks are bound to. All OpenMP threads settle rows in blocks;
 * implicit tasks, several of which belong to one region, are then settled in their order by one thread. gather.c calls
 * gather_settle_tasks() after gather_join(). Quirk numbers are those of docs/runtimes.md.
 */
#include "builder/gather/stream.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 16384u

/* How many ancestors are searched for a region. Those of the same block have theirs, so that most often one is enough. */
#define ANCESTORS_MAX 64

/* What the blocks leave for one thread. */
struct block {
	uint32_t *implicit; /* rows of its implicit tasks, in order */
	size_t n_implicit, implicit_capacity;
	uint32_t *unseen; /* parents that perhaps only the records of their children name */
	size_t n_unseen, unseen_capacity;
	bool has_orphans; /* some of its tasks have no parent, or an unknown one */
};

/*
 * Gives each explicit task its binding region, which is that of its nearest implicit ancestor. All ancestors on the way
 * get it too, so that each chain is walked once. A damaged chain may reach no implicit task, or return to its
 * beginning: then the tasks get no region. Only those tasks are left for which settle_row() has found no ancestor's region.
 */
static void bind_tasks(struct model *m)
{
	const uint32_t none = UINT32_MAX;
	for (uint32_t i = 1; i < m->n_tasks; i++) {
		uint32_t top = i;
		while (m->tasks[top].region == 0 && top != 0) {
			m->tasks[top].region = none;
			top = m->tasks[top].parent;
		}
		uint32_t region = m->tasks[top].region;
		for (uint32_t j = i; j != top && region != 0 && region != none; j = m->tasks[j].parent)
			m->tasks[j].region = region;
	}
	for (uint32_t i = 1; i < m->n_tasks; i++)
		if (m->tasks[i].region == none)
			m->tasks[i].region = 0;
}

static inline void note_helper(struct model *m, const struct task *task)
{
	if ((task->state & (TASK_HELPER | TASK_STARTED)) == (TASK_HELPER | TASK_STARTED))
		__atomic_store_n(&m->has_helper_thread[task->run_stream], true, __ATOMIC_RELAXED); /* others may store the same */
}

/*
 * Other threads settle rows of other blocks meanwhile, and read this row as a parent. Whether they read it before or
 * after the store does not matter: a region that is not 0 is final, and a parent that is seen already may be noted once more.
 */
static inline void store16(uint16_t *to, unsigned value)
{
	__atomic_store_n(to, (uint16_t)value, __ATOMIC_RELAXED);
}

static inline unsigned load16(const uint16_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

/* The region of the nearest ancestor that has one by now; 0: none of the nearest ones has. */
static inline uint32_t region_above(const struct model *m, const struct task *task)
{
	const unsigned others = task_flags_implicit | task_flags_initial;
	uint32_t region = 0;
	for (unsigned i = 0; i < ANCESTORS_MAX && region == 0 && task->parent != 0 && !(load16(&task->flags) & others); i++) {
		task = &m->tasks[task->parent];
		region = __atomic_load_n(&task->region, __ATOMIC_RELAXED);
	}
	return region;
}

/* Settles a row, except what an implicit task gets from its region. False: an explicit task's region is not found yet. */
static inline bool settle_row(struct model *m, struct block *block, uint32_t row)
{
	struct task *task = &m->tasks[row];
	task->run_stream -= task->run_stream != 0;
	if (task->flags & TASK_IS_CREATED) {
		store16(&task->state, task->state | TASK_SEEN | TASK_CREATED);
		store16(&task->flags, task->flags & ~TASK_IS_CREATED);
		const struct task *parent = &m->tasks[task->parent];
		if (task->parent == 0)
			block->has_orphans = true;
		else if (!(load16(&parent->flags) & TASK_IS_CREATED) && !(load16(&parent->state) & TASK_SEEN))
			array_push(block->unseen, block->n_unseen, block->unseen_capacity, task->parent);
	}
	if (!task_is_explicit(task)) {
		array_push(block->implicit, block->n_implicit, block->implicit_capacity, row);
		return true;
	}
	note_helper(m, task);
	uint32_t region = region_above(m, task);
	__atomic_store_n(&task->region, region, __ATOMIC_RELAXED);
	return region != 0 || task->parent == 0;
}

/* After all explicit tasks, in order. */
static void settle_implicit(struct model *m, uint32_t row)
{
	struct task *task = &m->tasks[row];
	struct region *region = &m->regions[task->region];
	region->state |= REGION_SEEN;
	task->parent = region->task;
	task->construct = region->construct;
	if (task->region != 0 && !(region->state & REGION_ANNOUNCED)) {
		region->state |= REGION_INITIAL;
		region->construct = task->construct = model_construct(m, CONSTRUCT_INITIAL, 0);
		region->begin_ticks = task->start_ticks;
		task->thread = 0; /* the runtime says 1 (Q5), but it is the only thread */
	}
	if (region->state & REGION_HELPER)
		task->state |= TASK_HELPER;
	note_helper(m, task);
	/* A worker's end is reported at its next use: it ended when the team joined (Q3). */
	if (task->thread != 0 && task->end_ticks > region->join_ticks)
		task->end_ticks = region->join_ticks;
	if (region->n_members_seen == UINT16_MAX || task->state & TASK_CONTRADICTORY)
		task->state |= TASK_CONTRADICTORY; /* no team has this many members: the task belongs to none */
	else
		region->n_members_seen++;
}

/* Merges what the blocks have left, in their order, and frees it. */
static void join_blocks(struct model *m, struct block *blocks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->n_implicit += blocks[i].n_implicit;
	m->implicit = memory_get(m->n_implicit, sizeof *m->implicit, "the implicit tasks");
	uint32_t *next = m->implicit;
	for (size_t i = 0; i < n; i++) {
		m->tasks[0].state |= blocks[i].has_orphans ? TASK_SEEN : 0;
		for (size_t k = 0; k < blocks[i].n_unseen; k++)
			m->tasks[blocks[i].unseen[k]].state |= TASK_SEEN;
		for (size_t k = 0; k < blocks[i].n_implicit; k++)
			*next++ = blocks[i].implicit[k];
		free(blocks[i].implicit);
		free(blocks[i].unseen);
	}
}

void gather_settle_tasks(struct model *m)
{
	m->tasks[0] = (struct task){0};
	m->regions[0] = (struct region){.join_ticks = UINT64_MAX, .end_ticks = UINT64_MAX};
	size_t n_blocks = m->n_tasks / BLOCK_ROWS + 1;
	struct block *blocks = memory_zeroed(n_blocks, sizeof *blocks, "the tasks");
	uint64_t n_migrated = 0;
	unsigned flags = 0, is_any_unbound = false;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : n_migrated) reduction(| : flags, is_any_unbound) if (n_blocks > 1)
	for (size_t i = 0; i < n_blocks; i++) {
		uint32_t first = i == 0 ? 1 : (uint32_t)i * BLOCK_ROWS;
		for (uint32_t row = first; row < m->n_tasks && row / BLOCK_ROWS == i; row++) {
			is_any_unbound |= !settle_row(m, &blocks[i], row);
			n_migrated += (m->tasks[row].state & TASK_MIGRATED) != 0;
			flags |= m->tasks[row].flags;
		}
	}
	m->n_migrated = n_migrated;
	m->task_flags = flags;
	join_blocks(m, blocks, n_blocks);
	free(blocks);
	for (size_t i = 0; i < m->n_implicit; i++)
		settle_implicit(m, m->implicit[i]);
	if (is_any_unbound)
		bind_tasks(m);
}
