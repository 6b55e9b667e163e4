/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sweeps: see sweep.h. Called by states.c and wait.c; one sweep a stream, on its thread.
 */
#include "builder/states/sweep.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"
#include "builder/support/lower_bound.h"

#include <stdlib.h>

/* For a task more than FAR generations below its tie the tie is cached, so that the walk up is not repeated from it. */
#define FAR   8
#define MEMOS 1024

static inline void extend(uint64_t *until, uint64_t ticks)
{
	if (ticks > *until)
		*until = ticks;
}

void sweep_free(struct sweep *sweep)
{
	free(sweep->levels);
	free(sweep->ties);
	free(sweep->memos);
}

void sweep_forget(struct sweep *sweep)
{
	sweep->n_levels = sweep->n_ties = sweep->n_childless = 0;
}

/* ---- Tasks that are tied to the thread ---- */

/* How many ties began before then. */
static size_t ties_before(const struct sweep *sweep, uint64_t start_ticks)
{
	size_t n = sweep->n_ties;
	if (n > 0 && sweep->ties[n - 1].start_ticks < start_ticks)
		return n;
	return lower_bound(i, 0, n, sweep->ties[i].start_ticks < start_ticks);
}

static struct sweep_tie *find_tie(const struct sweep *sweep, const struct ready *ready, uint32_t task)
{
	struct sweep_tie *ties = sweep->ties;
	if (sweep->n_ties > 0 && ties[sweep->n_ties - 1].task == task)
		return &ties[sweep->n_ties - 1];
	uint64_t start_ticks = ready->m->tasks[task].start_ticks;
	for (size_t i = ties_before(sweep, start_ticks); i < sweep->n_ties && ties[i].start_ticks == start_ticks; i++)
		if (ties[i].task == task)
			return &ties[i];
	return NULL;
}

/*
 * The innermost tie that the task descends from, or NULL. No tie that has created tasks began before the tie at n_childless:
 * the walk up ends at a task that was created before that one began.
 */
static struct sweep_tie *tie_around(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t task)
{
	const struct task *tasks = ready->m->tasks;
	if (sweep->n_childless >= sweep->n_ties)
		return NULL;
	uint64_t first_ticks = sweep->ties[sweep->n_childless].start_ticks;
	struct sweep_tie *tie = NULL;
	uint32_t at = task, n = 0;
	for (; at != 0 && n < ready->m->n_tasks && tie == NULL; n++) { /* n: damaged records may form a cycle */
		if (!task_is_explicit(&tasks[at]) || tasks[at].create_ticks < first_ticks)
			break;
		const struct sweep_memo *memo = sweep->memos != NULL && (n == 0 || n >= FAR) ? &sweep->memos[at % MEMOS] : NULL;
		if (memo != NULL && memo->task == at) {
			tie = memo->tie != 0 ? find_tie(sweep, ready, memo->tie) : NULL;
			if (tie != NULL || memo->tie == 0)
				break;
		}
		at = tasks[at].parent;
		if (tasks[at].run_stream == stream && at != 0)
			tie = find_tie(sweep, ready, at);
	}
	if (n < FAR)
		return tie;
	if (sweep->memos == NULL)
		sweep->memos = memory_zeroed(MEMOS, sizeof *sweep->memos, "the thread states");
	sweep->memos[task % MEMOS] = (struct sweep_memo){task, tie != NULL ? tie->task : 0};
	return tie;
}

void sweep_task_begins_before(struct sweep *sweep, uint32_t task, uint64_t start_ticks)
{
	array_reserve(sweep->ties, sweep->n_ties + 1, sweep->ties_capacity);
	size_t n = sweep->n_ties++, i = n;
	for (; i > 0 && sweep->ties[i - 1].start_ticks > start_ticks; i--)
		sweep->ties[i] = sweep->ties[i - 1];
	sweep->ties[i] = (struct sweep_tie){start_ticks, 0, task};
	sweep->n_childless = i < n ? 0 : sweep->n_childless == n ? n + 1 : sweep->n_childless;
}

void sweep_task_ends_before(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t task, uint64_t ticks)
{
	struct sweep_tie *tie = find_tie(sweep, ready, task);
	if (tie == NULL)
		return;
	uint64_t ready_ticks = tie->ready_ticks;
	struct sweep_tie *end = &sweep->ties[--sweep->n_ties];
	if (tie < end)
		sweep->n_childless = 0;
	else if (sweep->n_childless > sweep->n_ties)
		sweep->n_childless = sweep->n_ties;
	for (; tie < end; tie++)
		*tie = tie[1];
	if (ready_ticks > ticks && (tie = tie_around(sweep, ready, stream, task)) != NULL)
		extend(&tie->ready_ticks, ready_ticks);
}

/* ---- Regions ---- */

static void put_cursor(const struct ready *ready, struct sweep_cursor *cursor, unsigned number, size_t next)
{
	const struct ready_list *list = &ready->lists[number];
	cursor->next = next;
	cursor->next_ticks = next < cursor->end ? ready_ticks(ready, list, next) : UINT64_MAX;
}

/* The level of a region; created at the thread's first query there. */
static struct sweep_level *level_of(struct sweep *sweep, const struct ready *ready, uint32_t region)
{
	for (size_t i = sweep->n_levels; i > 0; i--)
		if (sweep->levels[i - 1].region == region)
			return &sweep->levels[i - 1];
	if (sweep->n_levels == NESTING_MAX)
		sweep->n_levels = 0;
	struct sweep_level *level = array_add(sweep->levels, sweep->n_levels, sweep->levels_capacity);
	*level = (struct sweep_level){.region = region};
	for (unsigned i = 0; i < READY_LISTS; i++) {
		const struct ready_list *list = &ready->lists[i];
		size_t low = lower_bound(k, 0, list->n_spans, list->spans[k].region < region);
		bool has_some = low < list->n_spans && list->spans[low].region == region;
		level->cursors[i].end = has_some ? list->spans[low + 1].first : 0;
		put_cursor(ready, &level->cursors[i], i, has_some ? list->spans[low].first : 0);
		level->cursors[i].taken = level->cursors[i].next;
	}
	return level;
}

void sweep_region_ends(struct sweep *sweep, uint32_t region)
{
	for (size_t i = sweep->n_levels; i > 0; i--)
		if (sweep->levels[i - 1].region == region)
			sweep->n_levels = i - 1;
}

/* ---- Queries ---- */

/*
 * Moves from `next` to the end of a block, as far as all tasks before it were ready at `ticks`. Returns `next` itself where
 * not even the tasks up to the end of the first block were.
 */
static size_t end_of_blocks(const struct ready *ready, const struct ready_list *list, size_t next, size_t end, uint64_t ticks)
{
	size_t first = next / READY_BLOCK, low = first, step = 1, high = end / READY_BLOCK; /* blocks up to `low` are ready */
	while (low + step <= high && ready_ticks(ready, list, (low + step) * READY_BLOCK - 1) <= ticks) {
		low += step;
		step *= 2;
	}
	high = low + step <= high ? low + step - 1 : high;
	low = lower_bound(i, low + 1, high + 1, ready_ticks(ready, list, i * READY_BLOCK - 1) <= ticks) - 1;
	return low > first ? low * READY_BLOCK : next;
}

/* Moves the cursor over the tasks that became ready by `ticks`. */
static void advance(struct sweep_level *level, const struct ready *ready, unsigned number, uint64_t ticks)
{
	struct sweep_cursor *cursor = &level->cursors[number];
	const struct ready_list *list = &ready->lists[number];
	if (cursor->next_ticks > ticks || cursor->next >= cursor->end)
		return;
	size_t next = end_of_blocks(ready, list, cursor->next, cursor->end, ticks);
	if (next != cursor->next)
		ready_join(&level->so_far, &list->until[next / READY_BLOCK - 1]);
	for (; next < cursor->end && ready_ticks(ready, list, next) <= ticks; next++)
		ready_take(ready, list->tasks[next], &level->so_far);
	put_cursor(ready, cursor, number, next);
}

/* The number of tasks, from the i-th one on, in the largest block before `end` in which all had begun by `ticks`; 0: none. */
static size_t begun_blocks(const struct ready_list *list, size_t i, size_t end, uint64_t ticks)
{
	size_t n = READY_BLOCK, found = 0;
	for (unsigned level = 0; level < READY_LEVELS && list->begins[level] != NULL; level++, n *= READY_BLOCK) {
		if (i % n != 0 || i + n > end || list->begins[level][i / n] > ticks)
			break;
		found = n;
	}
	return found;
}

/* Examines a task that became ready by `ticks`: if it is still ready, it may descend from a task that is tied to the thread. */
static void take_up(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t row, uint64_t ticks)
{
	const struct task *task = &ready->m->tasks[row];
	uint64_t begins = ready_begins(ready->m, row);
	if (begins <= ticks || task->flags & task_flags_untied || ready_is_for_helpers(ready, row))
		return;
	struct sweep_tie *tie = tie_around(sweep, ready, stream, row);
	if (tie != NULL)
		extend(&tie->ready_ticks, begins);
}

/* Examines the tasks before the cursor. Those that were there before any tie has created a task descend from none. */
static void take_up_all(struct sweep *sweep, struct sweep_cursor *cursor, const struct ready *ready, uint32_t stream,
			unsigned number, uint64_t ticks)
{
	const struct ready_list *list = &ready->lists[number];
	size_t i = sweep->n_childless < sweep->n_ties ? cursor->taken : cursor->next;
	while (i < cursor->next) {
		size_t n = i % READY_BLOCK == 0 ? begun_blocks(list, i, cursor->next, ticks) : 0;
		if (n == 0)
			take_up(sweep, ready, stream, list->tasks[i], ticks);
		i += n != 0 ? n : 1;
	}
	cursor->taken = i;
}

/* Adds the tie of a task that began earlier, which only damage makes unknown: all ready tasks are examined anew. */
static void add_missing_tie(struct sweep *sweep, const struct ready *ready, uint32_t task)
{
	sweep_task_begins(sweep, task, ready->m->tasks[task].start_ticks);
	sweep->n_levels = sweep->n_childless = 0;
	free(sweep->memos);
	sweep->memos = NULL;
	for (size_t i = 0; i < sweep->n_ties; i++)
		sweep->ties[i].ready_ticks = 0;
}

/* Until when a descendant of this tied task is ready. Usually it is the last tie. */
static uint64_t below_ticks(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t ancestor)
{
	const struct sweep_tie *of = find_tie(sweep, ready, ancestor), *last = &sweep->ties[sweep->n_ties - 1];
	uint64_t ticks = of->ready_ticks;
	for (const struct sweep_tie *later = last; later > of; later--) {
		const struct sweep_tie *around = later;
		while (around != NULL && around != of)
			around = tie_around(sweep, ready, stream, around->task);
		if (around == of)
			extend(&ticks, later->ready_ticks);
	}
	return ticks;
}

struct sweep_answer sweep_to(struct sweep *sweep, const struct ready *ready, uint32_t stream, uint32_t region, uint32_t ancestor,
			     uint64_t ticks)
{
	if (ready->is_empty)
		return (struct sweep_answer){0, 0, UINT64_MAX};
	if (ancestor != 0 && find_tie(sweep, ready, ancestor) == NULL)
		add_missing_tie(sweep, ready, ancestor);
	struct sweep_level *level = level_of(sweep, ready, region);
	for (unsigned i = 0; i < READY_LISTS; i++)
		advance(level, ready, i, ticks);
	for (unsigned i = 0; i < READY_LISTS && ancestor != 0; i++)
		take_up_all(sweep, &level->cursors[i], ready, stream, i, ticks);
	const struct sweep_cursor *cursors = level->cursors;
	uint64_t next_ticks = cursors[READY_CREATED].next_ticks < cursors[READY_DELAYED].next_ticks
				      ? cursors[READY_CREATED].next_ticks
				      : cursors[READY_DELAYED].next_ticks;
	uint64_t ready_ticks = ancestor == 0 ? level->so_far.any_ticks : level->so_far.untied_ticks;
	if (ancestor != 0 && ready->m->tasks[ancestor].region == region)
		extend(&ready_ticks, below_ticks(sweep, ready, stream, ancestor));
	return (struct sweep_answer){ready_ticks, level->so_far.unfinished_ticks, next_ticks};
}

uint64_t sweep_known(const struct sweep *sweep, const struct ready *ready, uint32_t region, uint32_t ancestor)
{
	const struct sweep_level *level = sweep->n_levels > 0 ? &sweep->levels[sweep->n_levels - 1] : NULL;
	if (level == NULL || level->region != region)
		return 0;
	if (ancestor == 0)
		return level->so_far.any_ticks;
	const struct sweep_tie *tie = ready->m->tasks[ancestor].region == region ? find_tie(sweep, ready, ancestor) : NULL;
	return tie != NULL ? tie->ready_ticks : 0;
}
