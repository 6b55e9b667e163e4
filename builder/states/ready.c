/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the index of ready tasks (ready.h). The tasks that a stream created are in the order of their creation, so those
 * of a region are merged from a run a stream: the run's time is cut into windows, and each is merged by one thread. The
 * index does not depend on how many there are. Called by wait.c on one thread; works on those of OpenMP.
 */
#include "builder/states/ready.h"
#include "builder/support/memory.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define MANY_TASKS (1 << 14) /* fewer are indexed sooner than threads are woken up */

bool ready_is_for_others(const struct model *m, uint32_t row)
{
	const struct task *task = &m->tasks[row];
	const struct region *region = &m->regions[task->region];
	const unsigned left_out = task_flags_undeferred | task_flags_taskwait;
	if (!task_is_explicit(task) || !(task->state & TASK_CREATED) || task->flags & left_out)
		return false;
	return region->n_members_seen > 1 || region->actual > 1 || task->flags & task_flags_target || task->state & TASK_DETACHED;
}

static inline void latest(uint64_t *of, uint64_t ticks)
{
	*of = ticks > *of ? ticks : *of;
}

static void make_levels(const struct ready *ready, struct ready_list *list)
{
	size_t n = list->n / READY_BLOCK;
	for (unsigned level = 0; level < READY_LEVELS && n > 0; level++, n /= READY_BLOCK) {
		uint64_t *begins = list->begins[level] = memory_get(n, sizeof *begins, "the thread states");
#pragma omp parallel for if (n > MANY_TASKS / READY_BLOCK)
		for (size_t i = 0; i < n; i++) {
			uint64_t begin = 0;
			for (size_t j = i * READY_BLOCK; j < (i + 1) * READY_BLOCK; j++)
				latest(&begin, level == 0 ? ready_begins(ready->m, list->tasks[j]) : list->begins[level - 1][j]);
			begins[i] = begin;
		}
	}
}

/* The region of the last task of the block. */
static uint32_t region_of_block(const struct ready *ready, const struct ready_list *list, size_t i)
{
	return ready->m->tasks[list->tasks[i * READY_BLOCK + READY_BLOCK - 1]].region;
}

static void make_until(const struct ready *ready, struct ready_list *list)
{
	size_t n = list->n / READY_BLOCK;
	struct ready_latest *until = list->until = memory_zeroed(n + 1, sizeof *until, "the thread states");
#pragma omp parallel for if (n > MANY_TASKS / READY_BLOCK)
	for (size_t i = 0; i < n; i++) {
		uint32_t region = region_of_block(ready, list, i);
		for (size_t j = i * READY_BLOCK; j < (i + 1) * READY_BLOCK; j++)
			if (ready->m->tasks[list->tasks[j]].region == region)
				ready_take(ready, list->tasks[j], &until[i]);
	}
	for (size_t i = 1; i < n; i++)
		if (region_of_block(ready, list, i) == region_of_block(ready, list, i - 1))
			ready_join(&until[i], &until[i - 1]);
}

static void make_spans(const struct ready *ready, struct ready_list *list, bool is_one)
{
	const struct task *tasks = ready->m->tasks;
	size_t n = 0, n_looks = is_one && list->n > 0 ? 1 : list->n;
	for (size_t i = 0; i < n_looks; i++)
		n += i == 0 || tasks[list->tasks[i]].region != tasks[list->tasks[i - 1]].region;
	list->spans = memory_get(n + 1, sizeof *list->spans, "the thread states");
	for (size_t i = 0; i < n_looks; i++)
		if (i == 0 || tasks[list->tasks[i]].region != tasks[list->tasks[i - 1]].region)
			list->spans[list->n_spans++] = (struct ready_span){tasks[list->tasks[i]].region, i};
	list->spans[list->n_spans] = (struct ready_span){UINT32_MAX, list->n};
}

/* ---- Tasks that had to wait for others ---- */

struct delay {
	uint64_t ticks;
	uint32_t task, region;
};

static int by_ticks(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	if (l->region != r->region)
		return l->region < r->region ? -1 : 1;
	if (l->ticks != r->ticks)
		return l->ticks < r->ticks ? -1 : 1;
	return l->task < r->task ? -1 : l->task > r->task;
}

static int by_task(const void *left, const void *right)
{
	const struct delay *l = left, *r = right;
	return l->task < r->task ? -1 : l->task > r->task ? 1 : by_ticks(left, right);
}

/* Of tasks that exclude each other, in the order in which they ran. */
struct turn {
	uint32_t parent, task;
	uint64_t variable, start_ticks;
};

static int by_turn(const void *left, const void *right)
{
	const struct turn *l = left, *r = right;
	if (l->parent != r->parent)
		return l->parent < r->parent ? -1 : 1;
	if (l->variable != r->variable)
		return l->variable < r->variable ? -1 : 1;
	if (l->start_ticks != r->start_ticks)
		return l->start_ticks < r->start_ticks ? -1 : 1;
	return l->task < r->task ? -1 : l->task > r->task;
}

/* A task may not run while another one does that it excludes, and had to wait for that if it was there. How many had to. */
static size_t add_turns(const struct model *m, struct delay *delays)
{
	struct turn *turns = memory_get(m->n_excluded + 1, sizeof *turns, "the thread states");
	size_t n_turns = 0, n = 0;
	for (size_t i = 0; i < m->n_excluded; i++) {
		const struct task *task = &m->tasks[m->excluded[i].task];
		if (task_is_explicit(task) && task->state & TASK_STARTED && !(task->flags & task_flags_taskwait))
			turns[n_turns++] =
				(struct turn){task->parent, m->excluded[i].task, m->excluded[i].variable, task->start_ticks};
	}
	qsort(turns, n_turns, sizeof *turns, by_turn);
	for (size_t i = 1; i < n_turns; i++) {
		const struct turn *before = &turns[i - 1], *turn = &turns[i];
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
	qsort(delays, n_delays, sizeof *delays, by_task);
	for (size_t i = 0; i < n_delays; i++) {
		if (n > 0 && delays[n - 1].task == delays[i].task)
			n--;
		delays[n++] = delays[i]; /* the latest of the task */
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
	qsort(delays, n, sizeof *delays, by_ticks);
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

/* ---- Tasks that were ready at once ---- */

/* Those of each stream, in order, from `rows` on with as much room as the stream has tasks. */
struct runs {
	const struct ready *ready;
	uint32_t *rows;
	struct run {
		uint32_t *rows;
		size_t n;
		bool is_one; /* all are of the region of the first one */
		char apart[64];
	} * runs; /* by stream */
	size_t n_streams, n;
	bool is_one;
};

/* The tasks of a stream. Its times never decrease, but for damage: such a task is left out. */
static void list_run(const struct ready *ready, size_t stream, struct run *run)
{
	const struct model *m = ready->m;
	uint32_t first = m->task_rows.base[stream] + 1, last = m->task_rows.base[stream + 1];
	const struct ready_delays *delays = &ready->delays;
	const struct ready_delay *delay = delays->delays + ready_find_delay(delays, first), *end = delays->delays + delays->n;
	uint64_t ticks = 0;
	run->is_one = true;
	for (uint32_t row = first; row <= last; row++) {
		bool is_delayed = delay < end && delay->task == row;
		delay += is_delayed;
		if (is_delayed || !ready_is_for_others(m, row) || m->tasks[row].create_ticks < ticks)
			continue;
		ticks = m->tasks[row].create_ticks;
		run->rows[run->n++] = row;
		run->is_one = run->is_one && m->tasks[row].region == m->tasks[run->rows[0]].region;
	}
}

static struct runs list_runs(const struct ready *ready)
{
	const struct model *m = ready->m;
	struct runs runs = {.ready = ready, .n_streams = m->dump->n_streams, .is_one = true};
	runs.rows = memory_get(m->n_tasks, sizeof *runs.rows, "the thread states");
	runs.runs = memory_zeroed(runs.n_streams, sizeof *runs.runs, "the thread states");
#pragma omp parallel for schedule(dynamic, 1) if (m->n_tasks > MANY_TASKS)
	for (size_t i = 0; i < runs.n_streams; i++) {
		runs.runs[i].rows = runs.rows + m->task_rows.base[i];
		list_run(ready, i, &runs.runs[i]);
	}
	const struct run *first = NULL; /* that has some */
	for (size_t i = 0; i < runs.n_streams; i++) {
		const struct run *run = &runs.runs[i];
		if (run->n == 0)
			continue;
		first = first != NULL ? first : run;
		runs.n += run->n;
		runs.is_one = runs.is_one && run->is_one && m->tasks[run->rows[0]].region == m->tasks[first->rows[0]].region;
	}
	return runs;
}

/* Puts the tasks of each region together, in the order in which they are. */
static void sort_by_region(const struct model *m, const struct runs *runs, uint32_t *sorted)
{
	size_t *next = memory_zeroed((size_t)m->n_regions + 1, sizeof *next, "the thread states");
	for (size_t i = 0; i < runs->n_streams; i++)
		for (size_t j = 0; j < runs->runs[i].n; j++)
			next[m->tasks[runs->runs[i].rows[j]].region + 1]++;
	for (uint32_t i = 1; i <= m->n_regions; i++)
		next[i] += next[i - 1];
	for (size_t i = 0; i < runs->n_streams; i++)
		for (size_t j = 0; j < runs->runs[i].n; j++)
			sorted[next[m->tasks[runs->runs[i].rows[j]].region]++] = runs->runs[i].rows[j];
	free(next);
}

/* Where the run ends that begins with the i-th task: the tasks up to there are in the order of their creation. */
static size_t end_of_run(const struct task *tasks, const uint32_t *rows, size_t i, size_t n)
{
	while (i + 1 < n && tasks[rows[i]].create_ticks <= tasks[rows[i + 1]].create_ticks)
		i++;
	return i < n ? i + 1 : n;
}

/* Merges the runs of a region two by two, until one is left. */
static void merge_runs(const struct task *tasks, uint32_t *rows, size_t n, uint32_t *other)
{
	for (size_t n_runs = 2; n_runs > 1;) {
		n_runs = 0;
		for (size_t first = 0; first < n; n_runs++) {
			size_t middle = end_of_run(tasks, rows, first, n), end = end_of_run(tasks, rows, middle, n);
			if (middle == n) { /* there is none that it could be merged with */
				n_runs++;
				break;
			}
			memcpy(other, rows + first, (middle - first) * sizeof *other);
			size_t i = 0, j = middle, to = first;
			while (i < middle - first)
				rows[to++] = j < end && tasks[rows[j]].create_ticks < tasks[other[i]].create_ticks ? rows[j++]
														   : other[i++];
			first = end;
		}
	}
}

/* How many tasks of the run were created before then. */
static size_t created_before(const struct task *tasks, const struct run *run, uint64_t ticks)
{
	size_t low = 0, high = run->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (tasks[run->rows[middle]].create_ticks < ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Merges what was created from `begin` to before `end`: the tasks have their places after all that were created before. */
static void merge_window(const struct runs *runs, uint64_t begin, uint64_t end, uint32_t *merged, uint32_t *other)
{
	const struct task *tasks = runs->ready->m->tasks;
	size_t place = 0, n = 0;
	for (size_t i = 0; i < runs->n_streams; i++)
		place += created_before(tasks, &runs->runs[i], begin);
	for (size_t i = 0; i < runs->n_streams; i++) {
		const struct run *run = &runs->runs[i];
		size_t from = created_before(tasks, run, begin), until = created_before(tasks, run, end);
		memcpy(merged + place + n, run->rows + from, (until - from) * sizeof *merged);
		n += until - from;
	}
	merge_runs(tasks, merged + place, n, other + place);
}

/* Tasks of one region: windows of time that are as long as each other. */
static void merge_windows(const struct runs *runs, uint32_t *merged, uint32_t *other)
{
	const struct task *tasks = runs->ready->m->tasks;
	uint64_t first = UINT64_MAX, last = 0;
	for (size_t i = 0; i < runs->n_streams; i++) {
		const struct run *run = &runs->runs[i];
		if (run->n == 0)
			continue;
		first = tasks[run->rows[0]].create_ticks < first ? tasks[run->rows[0]].create_ticks : first;
		latest(&last, tasks[run->rows[run->n - 1]].create_ticks);
	}
	size_t n_windows = runs->n > MANY_TASKS ? 8 * (size_t)omp_get_max_threads() : 1;
	uint64_t length = (last - first) / n_windows + 1;
#pragma omp parallel for schedule(dynamic, 1) if (n_windows > 1)
	for (size_t i = 0; i < n_windows; i++)
		merge_window(runs, first + i * length, first + (i + 1) * length, merged, other);
}

static void add_created(struct ready *ready, struct ready_list *list)
{
	const struct task *tasks = ready->m->tasks;
	struct runs runs = list_runs(ready);
	uint32_t *other = memory_get(runs.n, sizeof *other, "the thread states");
	list->n = runs.n;
	list->tasks = memory_get(runs.n, sizeof *list->tasks, "the thread states");
	if (runs.is_one && runs.n > 0) {
		merge_windows(&runs, list->tasks, other);
		make_spans(ready, list, true);
	} else {
		sort_by_region(ready->m, &runs, list->tasks);
		make_spans(ready, list, false);
#pragma omp parallel for schedule(dynamic, 16) if (runs.n > MANY_TASKS)
		for (size_t i = 0; i < list->n_spans; i++) {
			size_t first = list->spans[i].first, n = list->spans[i + 1].first - first;
			merge_runs(tasks, list->tasks + first, n, other + first);
		}
	}
	free(other);
	free(runs.rows);
	free(runs.runs);
}

void ready_begin(struct ready *ready, const struct model *m)
{
	*ready = (struct ready){.m = m};
	for (uint32_t i = 1; i < m->n_regions; i++)
		ready->has_helpers = ready->has_helpers || m->regions[i].state & REGION_HELPER;
	ready->delays = ready_delays_find(m);
	add_delayed(ready, &ready->lists[READY_DELAYED]);
	add_created(ready, &ready->lists[READY_CREATED]);
	make_spans(ready, &ready->lists[READY_DELAYED], false);
	for (unsigned i = 0; i < READY_LISTS; i++) {
		make_levels(ready, &ready->lists[i]);
		make_until(ready, &ready->lists[i]);
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
