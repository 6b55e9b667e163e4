/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The index of ready tasks (ready.h). The tasks that a stream created are in the order of their creation, so a list of
 * row numbers is enough to find those of a time; blocks of them know the latest time at which one was begun, so that
 * those that nobody has to look at any more are stepped over. A thread asks in the order of time: a cursor for each list
 * goes on where its last question was. Called by wait.c; one thread.
 */
#include "builder/states/ready.h"
#include "builder/support/array.h"
#include "builder/support/memory.h"

#include <stdlib.h>

/* A chain of parents that is longer than this comes of damage, or of a recursion that no thread waits so far above. */
#define ANCESTORS_MAX 65536

/* How far ready_next() looks at first. */
#define NEXT_TICKS 16384

/* ---- Making it ---- */

static uint64_t begin_of(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row];
	return task->state & TASK_STARTED ? task->start_ticks : ready_end(m, row);
}

/*
 * Could a thread other than its creator run the task? Not in a team of one, and not if it is undeferred; but the
 * runtime's own threads run target tasks, and a detached task is completed by anybody.
 */
static bool is_for_others(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row];
	const struct region *region = &m->regions[task->region];
	const unsigned left_out = task_flags_undeferred | task_flags_taskwait;
	if (!task_is_explicit(task) || !(task->state & TASK_CREATED) || task->flags & left_out)
		return false;
	return region->n_members_seen > 1 || region->actual > 1 || task->flags & task_flags_target || task->state & TASK_DETACHED;
}

static uint64_t ticks_of(const struct ready *ready, const struct ready_list *list, size_t i)
{
	return list->ticks != NULL ? list->ticks[i] : ready->m->tasks[list->tasks[i]].create_ticks;
}

static void make_levels(const struct ready *ready, struct ready_list *list)
{
	const struct model *m = ready->m;
	size_t n = list->n;
	for (unsigned level = 0; level < READY_LEVELS && n > READY_BLOCK; level++) {
		size_t n_blocks = n / READY_BLOCK;
		uint64_t *begins = list->begins[level] = memory_zeroed(n_blocks, sizeof *begins, "the thread states");
		uint64_t *ends = list->ends[level] = memory_zeroed(n_blocks, sizeof *ends, "the thread states");
		for (size_t i = 0; i < n_blocks * READY_BLOCK; i++) {
			uint64_t begin = level == 0 ? begin_of(m, list->tasks[i]) : list->begins[level - 1][i];
			uint64_t end = level == 0 ? ready_end(m, list->tasks[i]) : list->ends[level - 1][i];
			begins[i / READY_BLOCK] = begin > begins[i / READY_BLOCK] ? begin : begins[i / READY_BLOCK];
			ends[i / READY_BLOCK] = end > ends[i / READY_BLOCK] ? end : ends[i / READY_BLOCK];
		}
		n = n_blocks;
	}
}

struct delay {
	uint64_t ticks;
	uint32_t task;
};

static int by_ticks(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	return l->task < r->task ? -1 : l->task > r->task;
}

static int by_task(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	return l->task < r->task ? -1 : l->task > r->task ? 1 : by_ticks(left, right);
}

/* The tasks that the runtime reported to wait for others: ready when the last of these was complete. */
static void add_delayed(struct ready *ready, struct ready_list *list)
{
	const struct model *m = ready->m;
	struct delay *delays = memory_get(m->n_delays + 1, sizeof *delays, "the thread states");
	for (size_t i = 0; i < m->n_delays; i++) {
		uint64_t end = ready_end(m, m->delays[i].source), create = m->tasks[m->delays[i].sink].create_ticks;
		delays[i] = (struct delay){end > create ? end : create, m->delays[i].sink};
	}
	qsort(delays, m->n_delays, sizeof *delays, by_task);
	size_t n = 0;
	for (size_t i = 0; i < m->n_delays; i++) {
		if (n > 0 && delays[n - 1].task == delays[i].task)
			n--;
		delays[n++] = delays[i]; /* the latest of the task */
	}
	ready->delayed = memory_get(n + 1, sizeof *ready->delayed, "the thread states");
	ready->n_delayed = n;
	for (size_t i = 0; i < n; i++)
		ready->delayed[i] = (struct ready_delayed){delays[i].task, delays[i].ticks};
	qsort(delays, n, sizeof *delays, by_ticks);
	list->tasks = memory_get(n + 1, sizeof *list->tasks, "the thread states");
	list->ticks = memory_get(n + 1, sizeof *list->ticks, "the thread states");
	for (size_t i = 0; i < n; i++) {
		if (!is_for_others(m, delays[i].task))
			continue;
		list->tasks[list->n] = delays[i].task;
		list->ticks[list->n++] = delays[i].ticks;
	}
	free(delays);
}

/* Where a delayed task is in ready.delayed, or NULL. */
static const struct ready_delayed *find_delayed(const struct ready *ready, uint32_t task)
{
	size_t low = 0, high = ready->n_delayed;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (ready->delayed[middle].task < task)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ready->n_delayed && ready->delayed[low].task == task ? &ready->delayed[low] : NULL;
}

uint64_t ready_since(const struct ready *ready, uint32_t task)
{
	const struct ready_delayed *delayed = find_delayed(ready, task);
	return delayed != NULL ? delayed->ticks : 0;
}

/* The tasks that a stream created. Their times never decrease, but for damage: such a task is left out. */
static void add_stream(struct ready *ready, struct ready_list *list, uint32_t first, uint32_t end)
{
	const struct model *m = ready->m;
	uint64_t ticks = 0;
	size_t n = 0;
	for (uint32_t row = first; row < end; row++) {
		n += is_for_others(m, row);
		ready->has_untied = ready->has_untied || m->tasks[row].flags & task_flags_untied;
	}
	list->tasks = memory_get(n + 1, sizeof *list->tasks, "the thread states");
	for (uint32_t row = first; row < end; row++) {
		if (!is_for_others(m, row) || m->tasks[row].create_ticks < ticks ||
		    (ready->n_delayed != 0 && find_delayed(ready, row) != NULL))
			continue;
		ticks = m->tasks[row].create_ticks;
		list->tasks[list->n++] = row;
	}
}

void ready_begin(struct ready *ready, const struct model *m)
{
	size_t n_streams = m->dump->n_streams;
	*ready = (struct ready){.m = m, .n_lists = n_streams + 1};
	ready->lists = memory_zeroed(ready->n_lists, sizeof *ready->lists, "the thread states");
	ready->cursors = memory_zeroed(n_streams * ready->n_lists, sizeof *ready->cursors, "the thread states");
	for (uint32_t i = 1; i < m->n_regions; i++)
		ready->has_helpers = ready->has_helpers || m->regions[i].state & REGION_HELPER;
	add_delayed(ready, &ready->lists[n_streams]);
	for (size_t i = 0; i < n_streams; i++)
		add_stream(ready, &ready->lists[i], m->task_rows.base[i] + 1, m->task_rows.base[i + 1] + 1);
	for (size_t i = 0; i < ready->n_lists; i++)
		make_levels(ready, &ready->lists[i]);
}

void ready_free(struct ready *ready)
{
	for (size_t i = 0; i < ready->n_lists; i++) {
		for (unsigned level = 0; level < READY_LEVELS; level++) {
			free(ready->lists[i].begins[level]);
			free(ready->lists[i].ends[level]);
		}
		free(ready->lists[i].tasks);
		free(ready->lists[i].ticks);
	}
	free(ready->lists);
	free(ready->delayed);
	free(ready->cursors);
	*ready = (struct ready){0};
}

/* ---- Asking ---- */

/* Is `ancestor` the task's parent, or its parent's parent ...? No ancestor was created after its descendant. */
static bool descends(const struct model *m, uint32_t task, uint32_t ancestor)
{
	uint64_t earliest_ticks = m->tasks[ancestor].create_ticks;
	for (unsigned i = 0; i < ANCESTORS_MAX; i++) {
		if (!task_is_explicit(&m->tasks[task]))
			return false;
		task = m->tasks[task].parent;
		if (task == ancestor || task == 0 || m->tasks[task].create_ticks < earliest_ticks)
			return task == ancestor;
	}
	return false;
}

static bool may_run(const struct ready *ready, const struct ready_asker *asker, uint32_t row)
{
	const struct task *task = &ready->m->tasks[row];
	if (task->region != asker->region || (task->flags & task_flags_target && ready->has_helpers))
		return false;
	return asker->ancestor == 0 || task->flags & task_flags_untied || descends(ready->m, row, asker->ancestor);
}

/* How many tasks of the list were ready by then. */
static size_t seek(struct ready *ready, uint32_t stream, size_t number, uint64_t ticks)
{
	const struct ready_list *list = &ready->lists[number];
	size_t *cursor = &ready->cursors[stream * ready->n_lists + number], low = *cursor, high = list->n, step = 1;
	if (low < list->n && ticks_of(ready, list, low) > ticks && (low == 0 || ticks_of(ready, list, low - 1) <= ticks))
		return low;
	if (low > 0 && ticks_of(ready, list, low - 1) > ticks) /* a time before that of the last question */
		low = 0;
	while (low + step < high && ticks_of(ready, list, low + step) <= ticks) {
		low += step;
		step *= 2;
	}
	high = low + step < high ? low + step : high;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (ticks_of(ready, list, middle) <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return *cursor = low;
}

/* Before the first `i` tasks: steps over whole blocks whose latest time is not after `ticks`. */
static size_t step_over(uint64_t *const latest[READY_LEVELS], size_t i, uint64_t ticks)
{
	for (;;) {
		size_t n = READY_BLOCK, best = 0;
		for (unsigned level = 0; level < READY_LEVELS && latest[level] != NULL && i % n == 0 && i >= n; level++) {
			if (latest[level][i / n - 1] > ticks)
				break;
			best = n;
			n *= READY_BLOCK;
		}
		if (best == 0)
			return i;
		i -= best;
	}
}

static uint32_t find_in(struct ready *ready, const struct ready_asker *asker, size_t number, uint64_t ticks, uint64_t *begins)
{
	const struct ready_list *list = &ready->lists[number];
	uint64_t earliest_ticks = ready->has_untied ? 0 : ready->m->tasks[asker->ancestor].create_ticks; /* of a descendant */
	for (size_t i = seek(ready, asker->stream, number, ticks); (i = step_over(list->begins, i, ticks)) > 0; i--) {
		if (ticks_of(ready, list, i - 1) < earliest_ticks)
			return 0;
		*begins = begin_of(ready->m, list->tasks[i - 1]);
		if (*begins > ticks && may_run(ready, asker, list->tasks[i - 1]))
			return list->tasks[i - 1];
	}
	return 0;
}

uint32_t ready_find(struct ready *ready, const struct ready_asker *asker, uint64_t ticks, uint64_t *begins)
{
	uint32_t found = find_in(ready, asker, asker->stream, ticks, begins); /* where most are found at once */
	for (size_t i = 0; i < ready->n_lists && found == 0; i++)
		if (i != asker->stream)
			found = find_in(ready, asker, i, ticks, begins);
	return found;
}

/* The same; *has_more: tasks become ready at `limit` or later. */
static uint64_t next_before(struct ready *ready, const struct ready_asker *asker, uint64_t ticks, uint64_t limit, bool *has_more)
{
	*has_more = false;
	for (size_t number = 0; number < ready->n_lists; number++) {
		const struct ready_list *list = &ready->lists[number];
		for (size_t i = seek(ready, asker->stream, number, ticks); i < list->n; i++) {
			uint64_t since = ticks_of(ready, list, i);
			if (since >= limit) {
				*has_more = true;
				break;
			}
			if (begin_of(ready->m, list->tasks[i]) > since && may_run(ready, asker, list->tasks[i]))
				limit = since;
		}
	}
	return limit;
}

/*
 * Looks into longer and longer times after `ticks`: a list in which the thread may run nothing is not read to the limit
 * again and again while it may run tasks of another one.
 */
uint64_t ready_next(struct ready *ready, const struct ready_asker *asker, uint64_t ticks, uint64_t limit)
{
	for (uint64_t length = NEXT_TICKS; limit > ticks && limit - ticks > length; length *= 4) {
		bool has_more;
		uint64_t next = next_before(ready, asker, ticks, ticks + length, &has_more);
		if (next < ticks + length)
			return next;
		if (!has_more || length > UINT64_MAX / 8)
			return limit;
	}
	bool has_more;
	return next_before(ready, asker, ticks, limit, &has_more);
}

uint64_t ready_unfinished(struct ready *ready, const struct ready_asker *asker, uint64_t ticks)
{
	for (size_t number = 0; number < ready->n_lists; number++) {
		const struct ready_list *list = &ready->lists[number];
		for (size_t i = seek(ready, asker->stream, number, ticks); (i = step_over(list->ends, i, ticks)) > 0; i--) {
			uint64_t end = ready_end(ready->m, list->tasks[i - 1]);
			if (end > ticks && ready->m->tasks[list->tasks[i - 1]].region == asker->region)
				return end;
		}
	}
	return 0;
}
