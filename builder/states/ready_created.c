/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the tasks that were ready when they were created, for the index of ready tasks (ready.h). The tasks of a stream are
 * in the order of their creation, so those of a region are merged from one sorted run for each stream. A small region is merged
 * by one thread; the time of a large one is cut into windows, and each is merged by one thread. The list does not depend on
 * the number of threads. Called on one thread; uses all OpenMP threads.
 */
#include "builder/states/ready.h"
#include "builder/support/array.h"
#include "builder/support/lower_bound.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Tasks in the order of their creation. */
struct run {
	uint32_t *rows;
	size_t n;
};

/* The tasks that a stream created, in `rows`, divided into pieces of one region each. */
struct stream_tasks {
	uint32_t *rows;
	struct piece {
		uint32_t region;
		size_t n, to; /* number of tasks; index in lists.sorted */
	} * pieces;
	size_t n_pieces, capacity;
	char apart[64]; /* so that no two streams share a cache line */
};

struct lists {
	const struct model *m;
	uint32_t *rows; /* the tasks of each stream from its first row on; later the buffer for merging */
	struct stream_tasks *streams;
	size_t n_streams;
	uint32_t *sorted; /* by region, then by stream, then by creation */
	/* For each region with many tasks: n_streams runs in `sorted`, some of which are empty. */
	struct run *large;
	size_t n_large;
};

/* ---- What streams created ---- */

/* Lists the tasks of a stream. Their times never decrease, except after damage: such a task is left out. */
static void list_stream(const struct ready *ready, size_t stream, struct stream_tasks *list)
{
	const struct model *m = ready->m;
	uint32_t first = m->task_rows.base[stream] + 1, last = m->task_rows.base[stream + 1], *to = list->rows;
	const struct ready_delays *delays = &ready->delays;
	const struct ready_delay *delay = delays->delays + ready_find_delay(delays, first), *end = delays->delays + delays->n;
	struct piece piece = {.region = UINT32_MAX};
	uint64_t ticks = 0;
	for (uint32_t row = first; row <= last; row++) {
		const struct task *task = &m->tasks[row];
		bool is_delayed = delay < end && delay->task == row;
		delay += is_delayed;
		if (is_delayed || !ready_is_for_others(m, row) || task->create_ticks < ticks)
			continue;
		ticks = task->create_ticks;
		*to++ = row;
		if (task->region != piece.region) {
			array_push(list->pieces, list->n_pieces, list->capacity, piece = (struct piece){.region = task->region});
		}
		list->pieces[list->n_pieces - 1].n++;
	}
}

static struct lists list_streams(const struct ready *ready)
{
	const struct model *m = ready->m;
	struct lists lists = {.m = m, .n_streams = m->dump->n_streams};
	lists.rows = memory_get(m->n_tasks, sizeof *lists.rows, "the thread states");
	lists.streams = memory_zeroed(lists.n_streams, sizeof *lists.streams, "the thread states");
#pragma omp parallel for schedule(dynamic, 1) if (m->n_tasks > READY_MANY)
	for (size_t i = 0; i < lists.n_streams; i++) {
		lists.streams[i].rows = lists.rows + m->task_rows.base[i];
		list_stream(ready, i, &lists.streams[i]);
	}
	return lists;
}

/* ---- Sorting by region and stream ---- */

/* Gives each region that has tasks its span. places, by region: in: its number of tasks; out: the index of its first one. */
static void make_spans(struct ready_list *list, size_t *places, uint32_t n_regions)
{
	size_t n_spans = 0;
	for (uint32_t i = 0; i < n_regions; i++)
		n_spans += places[i] != 0;
	list->spans = memory_get(n_spans + 1, sizeof *list->spans, "the thread states");
	for (uint32_t i = 0; i < n_regions; i++) {
		size_t n = places[i];
		places[i] = list->n;
		if (n != 0)
			list->spans[list->n_spans++] = (struct ready_span){i, list->n};
		list->n += n;
	}
	list->spans[list->n_spans] = (struct ready_span){UINT32_MAX, list->n};
}

static size_t span_size(const struct ready_list *list, size_t i)
{
	return list->spans[i + 1].first - list->spans[i].first;
}

/* Puts a stream's pieces into `sorted`, and notes them as its runs of large regions; large_rows: by region, from 1. */
static void place_pieces(struct lists *lists, size_t stream, size_t *places, const uint32_t *large_rows)
{
	struct stream_tasks *tasks = &lists->streams[stream];
	for (size_t k = 0; k < tasks->n_pieces; k++) {
		struct piece *piece = &tasks->pieces[k];
		piece->to = places[piece->region];
		places[piece->region] += piece->n;
		if (large_rows[piece->region] == 0)
			continue;
		struct run *run = &lists->large[(large_rows[piece->region] - 1) * lists->n_streams + stream];
		run->rows = run->n == 0 ? lists->sorted + piece->to : run->rows;
		run->n += piece->n;
	}
}

/* Makes the spans, and sorts the tasks by region and stream. */
static void sort_by_region(struct lists *lists, struct ready_list *list)
{
	uint32_t n_regions = lists->m->n_regions, *large_rows = memory_zeroed(n_regions, sizeof *large_rows, "the thread states");
	size_t *places = memory_zeroed(n_regions, sizeof *places, "the thread states");
	for (size_t i = 0; i < lists->n_streams; i++)
		for (size_t k = 0; k < lists->streams[i].n_pieces; k++)
			places[lists->streams[i].pieces[k].region] += lists->streams[i].pieces[k].n;
	make_spans(list, places, n_regions);
	for (size_t i = 0; i < list->n_spans; i++)
		if (span_size(list, i) > READY_MANY)
			large_rows[list->spans[i].region] = (uint32_t)++lists->n_large;
	lists->large = memory_zeroed(lists->n_large * lists->n_streams, sizeof *lists->large, "the thread states");
	lists->sorted = memory_get(list->n, sizeof *lists->sorted, "the thread states");
	for (size_t i = 0; i < lists->n_streams; i++)
		place_pieces(lists, i, places, large_rows);
#pragma omp parallel for schedule(dynamic, 1) if (list->n > READY_MANY)
	for (size_t i = 0; i < lists->n_streams; i++) {
		const uint32_t *from = lists->streams[i].rows;
		for (size_t k = 0; k < lists->streams[i].n_pieces; k++) {
			const struct piece *piece = &lists->streams[i].pieces[k];
			memcpy(lists->sorted + piece->to, from, piece->n * sizeof *from);
			from += piece->n;
		}
	}
	free(places);
	free(large_rows);
}

/* ---- Merging ---- */

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
			if (middle == n) { /* no run is left to merge it with */
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

/* How many tasks of the run were created before `ticks`. */
static size_t created_before(const struct task *tasks, const struct run *run, uint64_t ticks)
{
	return lower_bound(i, 0, run->n, tasks[run->rows[i]].create_ticks < ticks);
}

/* Merges the tasks of n runs that were created from `begin` to before `end`; they follow all that were created before. */
static void merge_window(const struct task *tasks, const struct run *runs, size_t n_runs, uint64_t begin, uint64_t end,
			 uint32_t *merged, uint32_t *other)
{
	size_t place = 0, n = 0;
	for (size_t i = 0; i < n_runs; i++)
		place += created_before(tasks, &runs[i], begin);
	for (size_t i = 0; i < n_runs; i++) {
		size_t from = created_before(tasks, &runs[i], begin), until = created_before(tasks, &runs[i], end);
		if (from < until)
			memcpy(merged + place + n, runs[i].rows + from, (until - from) * sizeof *merged);
		n += until - from;
	}
	merge_runs(tasks, merged + place, n, other + place);
}

/* Merges a large region in windows of time of equal length. */
static void merge_large(const struct lists *lists, const struct run *runs, uint32_t *merged, uint32_t *other)
{
	const struct task *tasks = lists->m->tasks;
	uint64_t first = UINT64_MAX, last = 0;
	for (size_t i = 0; i < lists->n_streams; i++) {
		if (runs[i].n == 0)
			continue;
		uint64_t begin = tasks[runs[i].rows[0]].create_ticks, end = tasks[runs[i].rows[runs[i].n - 1]].create_ticks;
		first = begin < first ? begin : first;
		last = end > last ? end : last;
	}
	size_t n_windows = 8 * (size_t)omp_get_max_threads();
	uint64_t length = (last - first) / n_windows + 1;
#pragma omp parallel for schedule(dynamic, 1)
	for (size_t i = 0; i < n_windows; i++)
		merge_window(tasks, runs, lists->n_streams, first + i * length, first + (i + 1) * length, merged, other);
}

void ready_add_created(struct ready *ready, struct ready_list *list)
{
	struct lists lists = list_streams(ready);
	sort_by_region(&lists, list);
	list->tasks = memory_get(list->n, sizeof *list->tasks, "the thread states");
	const struct run *large = lists.large;
	for (size_t i = 0; i < list->n_spans; i++)
		if (span_size(list, i) > READY_MANY) {
			merge_large(&lists, large, list->tasks + list->spans[i].first, lists.rows + list->spans[i].first);
			large += lists.n_streams;
		}
#pragma omp parallel for schedule(dynamic, 16) if (list->n > READY_MANY)
	for (size_t i = 0; i < list->n_spans; i++) {
		size_t first = list->spans[i].first, n = span_size(list, i);
		if (n > READY_MANY)
			continue;
		memcpy(list->tasks + first, lists.sorted + first, n * sizeof *list->tasks);
		merge_runs(ready->m->tasks, list->tasks + first, n, lists.rows + first);
	}
	for (size_t i = 0; i < lists.n_streams; i++)
		free(lists.streams[i].pieces);
	free(lists.streams);
	free(lists.large);
	free(lists.sorted);
	free(lists.rows);
}
