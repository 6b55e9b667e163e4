/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the index of ready tasks (ready.h): the list of tasks that had to wait for others, and the latest times of blocks of
 * tasks in both lists. The index does not depend on the number of threads. Called on one thread; uses all OpenMP threads.
 */
#include "builder/states/ready.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

static inline void latest(uint64_t *of, uint64_t ticks)
{
	*of = ticks > *of ? ticks : *of;
}

/* The region of the last task of the block. */
static uint32_t region_of_block(const struct ready *ready, const struct ready_list *list, size_t i)
{
	return ready->m->tasks[list->tasks[i * READY_BLOCK + READY_BLOCK - 1]].region;
}

/* Fills in the latest times of each block of tasks, in one pass over the list. */
static void make_blocks(const struct ready *ready, struct ready_list *list)
{
	size_t n = list->n / READY_BLOCK;
	struct ready_latest *until = list->until = memory_get(n + 1, sizeof *until, "the thread states");
	uint64_t *begins = list->begins[0] = n > 0 ? memory_get(n, sizeof *begins, "the thread states") : NULL;
#pragma omp parallel for if (n > READY_MANY / READY_BLOCK)
	for (size_t i = 0; i < n; i++) {
		uint32_t region = region_of_block(ready, list, i);
		begins[i] = 0;
		until[i] = (struct ready_latest){0};
		for (size_t j = i * READY_BLOCK; j < (i + 1) * READY_BLOCK; j++) {
			latest(&begins[i], ready_begins(ready->m, list->tasks[j]));
			if (ready->m->tasks[list->tasks[j]].region == region)
				ready_take(ready, list->tasks[j], &until[i]);
		}
	}
	for (size_t i = 1; i < n; i++)
		if (region_of_block(ready, list, i) == region_of_block(ready, list, i - 1))
			ready_join(&until[i], &until[i - 1]);
}

static void make_levels(struct ready_list *list)
{
	size_t n = list->n / READY_BLOCK / READY_BLOCK;
	for (unsigned level = 1; level < READY_LEVELS && n > 0; level++, n /= READY_BLOCK) {
		uint64_t *begins = list->begins[level] = memory_zeroed(n, sizeof *begins, "the thread states");
		for (size_t i = 0; i < n; i++)
			for (size_t j = i * READY_BLOCK; j < (i + 1) * READY_BLOCK; j++)
				latest(&begins[i], list->begins[level - 1][j]);
	}
}

static void make_spans(const struct ready *ready, struct ready_list *list)
{
	size_t capacity = 0;
	for (size_t i = 0; i <= list->n; i++) {
		uint32_t region = i < list->n ? ready->m->tasks[list->tasks[i]].region : UINT32_MAX;
		if (list->n_spans > 0 && list->spans[list->n_spans - 1].region == region)
			continue;
		array_push(list->spans, list->n_spans, capacity, (struct ready_span){region, i});
	}
	list->n_spans--;
}

/* ---- Tasks that had to wait for others ---- */

struct delay {
	uint64_t ticks;
	uint32_t task, region;
};

static int by_ticks(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	return cmp(l->region, r->region) ?: cmp(l->ticks, r->ticks) ?: cmp(l->task, r->task);
}

static int by_task(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	return l->task < r->task ? -1 : l->task > r->task ? 1 : by_ticks(left, right);
}

/* A task that excludes others; sorted in the order in which they ran. */
struct exclusion_turn {
	uint32_t parent, task;
	uint64_t variable, start_ticks;
};

static int by_turn(const void *left, const void *right)
{
	const struct exclusion_turn *l = left, *r = right;
	int order = cmp(l->parent, r->parent) ?: cmp(l->variable, r->variable);
	return order ?: cmp(l->start_ticks, r->start_ticks) ?: cmp(l->task, r->task);
}

/* A task had to wait for one that it excludes, if that ran when the task was already created. Returns how many had to. */
static size_t add_turns(const struct model *m, struct delay *delays)
{
	struct exclusion_turn *turns = memory_get(m->n_excluded + 1, sizeof *turns, "the thread states");
	size_t n_turns = 0, n = 0;
	for (size_t i = 0; i < m->n_excluded; i++) {
		const struct task *task = &m->tasks[m->excluded[i].task];
		if (task_is_explicit(task) && task->state & TASK_STARTED && !(task->flags & task_flags_taskwait))
			turns[n_turns++] = (struct exclusion_turn){task->parent, m->excluded[i].task, m->excluded[i].variable,
								   task->start_ticks};
	}
	sort_array(turns, n_turns, by_turn);
	for (size_t i = 1; i < n_turns; i++) {
		const struct exclusion_turn *before = &turns[i - 1], *turn = &turns[i];
		uint64_t end = ready_end(m, before->task);
		bool is_its = before->parent == turn->parent && before->variable == turn->variable;
		if (is_its && end > m->tasks[turn->task].create_ticks && end <= turn->start_ticks)
			delays[n++] = (struct delay){end, turn->task, m->tasks[turn->task].region};
	}
	free(turns);
	return n;
}

struct ready_delays ready_delays_find(const struct model *m)
{
	struct delay *delays = memory_get(m->n_delays + m->n_excluded + 1, sizeof *delays, "the thread states");
	for (size_t i = 0; i < m->n_delays; i++) {
		uint32_t sink = m->delays[i].sink;
		uint64_t end = ready_end(m, m->delays[i].source), create = m->tasks[sink].create_ticks;
		delays[i] = (struct delay){end > create ? end : create, sink, m->tasks[sink].region};
	}
	size_t n_delays = m->n_delays + add_turns(m, delays + m->n_delays), n = 0;
	sort_array(delays, n_delays, by_task);
	for (size_t i = 0; i < n_delays; i++) {
		if (n > 0 && delays[n - 1].task == delays[i].task)
			n--;
		delays[n++] = delays[i]; /* keeps the task's latest delay */
	}
	struct ready_delays found = {memory_get(n + 1, sizeof *found.delays, "the thread states"), n};
	for (size_t i = 0; i < n; i++)
		found.delays[i] = (struct ready_delay){delays[i].task, delays[i].ticks};
	free(delays);
	return found;
}

/* Lists those that others could run, by region and time. */
static void add_delayed(struct ready *ready, struct ready_list *list)
{
	const struct model *m = ready->m;
	size_t n = ready->delays.n;
	struct delay *delays = memory_get(n + 1, sizeof *delays, "the thread states");
	for (size_t i = 0; i < n; i++) {
		uint32_t task = ready->delays.delays[i].task;
		delays[i] = (struct delay){ready->delays.delays[i].ticks, task, m->tasks[task].region};
	}
	sort_array(delays, n, by_ticks);
	list->tasks = memory_get(n + 1, sizeof *list->tasks, "the thread states");
	list->ticks = memory_get(n + 1, sizeof *list->ticks, "the thread states");
	for (size_t i = 0; i < n; i++) {
		if (!ready_is_for_others(m, delays[i].task))
			continue;
		list->tasks[list->n] = delays[i].task;
		list->ticks[list->n++] = delays[i].ticks;
	}
	free(delays);
}

void ready_begin(struct ready *ready, const struct model *m)
{
	*ready = (struct ready){.m = m};
	for (uint32_t i = 1; i < m->n_regions; i++)
		ready->has_helpers = ready->has_helpers || m->regions[i].state & REGION_HELPER;
	ready->delays = ready_delays_find(m);
	add_delayed(ready, &ready->lists[READY_DELAYED]);
	make_spans(ready, &ready->lists[READY_DELAYED]);
	ready_add_created(ready, &ready->lists[READY_CREATED]);
	for (unsigned i = 0; i < READY_LISTS; i++) {
		make_blocks(ready, &ready->lists[i]);
		make_levels(&ready->lists[i]);
	}
	ready->is_empty = ready->lists[READY_DELAYED].n + ready->lists[READY_CREATED].n == 0;
}

void ready_free(struct ready *ready)
{
	for (unsigned i = 0; i < READY_LISTS; i++) {
		struct ready_list *list = &ready->lists[i];
		for (unsigned level = 0; level < READY_LEVELS; level++)
			free(list->begins[level]);
		free(list->until);
		free(list->tasks);
		free(list->ticks);
		free(list->spans);
	}
	free(ready->delays.delays);
	*ready = (struct ready){0};
}
