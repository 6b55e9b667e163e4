/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the variables tell that tasks depend on: keeps the dependences of the replay; then finds variables that put all tasks
 * into one chain, writers after which nobody comes, and synchronisations behind which no task depends on one before. Called by the
 * replay, for a stream on one thread at a time, and by lint.c.
 */
#include "builder/lint/lint.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"

#include <stdlib.h>

#define WHAT      "the findings"
#define CHAIN_MIN 3 /* so many tasks are a chain */

/* ---- What is kept ---- */

static int dependences(void *self, const struct point *at, uint32_t task, const struct dependence *list, size_t n)
{
	struct lint_track *track = self;
	struct lint_stream *s = &track->streams[at->stream];
	uint64_t before = __atomic_fetch_add(&track->n, n, __ATOMIC_RELAXED);
	if (before > LINT_DEPENDENCES || task == 0)
		return 0;
	array_reserve((void **)&s->rows, s->n + n, &s->capacity, sizeof *s->rows);
	for (size_t i = 0; i < n; i++)
		s->rows[s->n++] = (struct lint_dependence){list[i].variable, task, list[i].type};
	return 0;
}

const struct replay_ops lint_ops = {.dependences = dependences, .is_by_stream = true};

void lint_track_begin(struct lint_track *track, const struct model *model)
{
	*track = (struct lint_track){.model = model, .n_streams = model->dump->n_streams};
	track->streams = memory_zeroed(track->n_streams + 1, sizeof *track->streams, WHAT);
}

void lint_track_free(struct lint_track *track)
{
	for (size_t i = 0; track->streams != NULL && i < track->n_streams; i++)
		free(track->streams[i].rows);
	free(track->streams);
	*track = (struct lint_track){0};
}

/* ---- In the order of creation ---- */

struct named {
	uint64_t create_ticks;
	struct lint_dependence row;
	size_t place;
};

static int by_creation(const void *left, const void *right)
{
	const struct named *l = left, *r = right;
	if (l->create_ticks != r->create_ticks)
		return l->create_ticks < r->create_ticks ? -1 : 1;
	return l->place < r->place ? -1 : l->place > r->place;
}

static struct named *sort_rows(const struct lint_track *track, size_t *n)
{
	struct named *all = memory_get((size_t)track->n + 1, sizeof *all, WHAT);
	*n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		for (size_t j = 0; j < track->streams[i].n; j++, (*n)++) {
			const struct lint_dependence *row = &track->streams[i].rows[j];
			all[*n] = (struct named){track->model->tasks[row->task].create_ticks, *row, *n};
		}
	if (*n != 0)
		qsort(all, *n, sizeof *all, by_creation);
	return all;
}

static bool writes(unsigned type)
{
	return type == dependence_type_out || type == dependence_type_inout;
}

/* ---- Variables of one parent ---- */

struct variable {
	uint32_t parent;
	uint64_t address;
	uint32_t n, n_writers; /* tasks that name it; of these as out or inout */
	uint32_t first, last;  /* tasks */
	uint32_t last_type;
};

struct variables {
	struct variable *rows;
	size_t n, capacity;
	struct map row_of; /* hash of parent and address -> row + 1; collisions go to the next hash */
};

static struct variable *variable_row(struct variables *v, uint32_t parent, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15) ^ parent;
	for (;; hash++) {
		uint32_t *row = map_put(&v->row_of, hash);
		if (*row == 0) {
			array_reserve((void **)&v->rows, v->n + 1, &v->capacity, sizeof *v->rows);
			v->rows[v->n++] = (struct variable){.parent = parent, .address = address};
			*row = (uint32_t)v->n;
		}
		if (v->rows[*row - 1].parent == parent && v->rows[*row - 1].address == address)
			return &v->rows[*row - 1];
	}
}

static void find_chains(struct findings *findings, const struct net *net, const struct named *rows, size_t n)
{
	const struct task *tasks = net->tasks;
	struct variables v = {0};
	uint64_t *n_inout = memory_zeroed(net->graph->model->n_constructs, sizeof *n_inout, WHAT);
	for (size_t i = 0; i < n; i++) {
		const struct lint_dependence *row = &rows[i].row;
		struct variable *at = variable_row(&v, tasks[row->task].parent, row->variable);
		if (at->last != row->task) /* a task may name it twice */
			at->n++;
		at->n_writers += writes(row->type) && at->last != row->task;
		at->first = at->first != 0 ? at->first : row->task;
		at->last = row->task;
		at->last_type = row->type;
		n_inout[net_task_construct(net, row->task)] += row->type == dependence_type_inout;
	}
	for (size_t i = 0; i < v.n; i++) {
		const struct variable *at = &v.rows[i];
		uint32_t first = net_task_construct(net, at->first), last = net_task_construct(net, at->last);
		if (at->n >= CHAIN_MIN && at->n_writers == at->n) {
			struct finding *row = lint_add(findings, LINT_CHAINED, first, last, at->n, at->n);
			row->variable = row->variable != 0 ? row->variable : at->address;
		}
		if (at->last_type == dependence_type_inout) {
			struct finding *row = lint_add(findings, LINT_LAST, last, 0, 1, 0);
			row->variable = row->variable != 0 ? row->variable : at->address;
		}
	}
	for (size_t i = 0; i < findings->n; i++)
		if (findings->rows[i].kind == LINT_LAST) {
			struct finding *row = &findings->rows[i];
			row->of = n_inout[row->construct];
			row->count = row->count * 2 < row->of ? 0 : row->count; /* some task of a chain is always the last */
		}
	free(n_inout);
	free(v.rows);
	map_free(&v.row_of);
}

/* ---- Synchronisations ---- */

struct use {
	uint32_t writer, any; /* nodes: the latest synchronisations that wait for a task that wrote, and that named it at all */
};

static void find_needless(struct findings *findings, const struct net *net, const struct named *rows, size_t n)
{
	struct map row_of = {0};
	struct use *uses = memory_zeroed(n + 1, sizeof *uses, WHAT);
	bool *is_needed = memory_zeroed(net->n, sizeof *is_needed, WHAT), *is_there = memory_zeroed(net->n, sizeof *is_there, WHAT);
	bool *is_followed = memory_zeroed(net->n, sizeof *is_followed, WHAT);
	uint32_t n_uses = 0, latest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct lint_dependence *row = &rows[i].row;
		enum edge_kind kind;
		uint32_t node = graph_joiner(net->graph, row->task, &kind);
		uint32_t *number = map_put(&row_of, row->variable);
		if (*number == 0)
			*number = ++n_uses;
		struct use *use = &uses[*number];
		if (use->writer != node)
			is_needed[use->writer] = true;
		if (use->any != node && writes(row->type))
			is_needed[use->any] = true;
		if (node != latest)
			is_followed[latest] = true;
		use->any = node;
		if (writes(row->type))
			use->writer = node;
		is_there[node] = true;
		latest = node;
	}
	for (uint32_t id = 1; id < net->n; id++)
		if (is_there[id] && is_followed[id])
			lint_add(findings, LINT_SYNC, net_construct(net, id), 0, !is_needed[id], 1);
	free(uses);
	free(is_needed);
	free(is_there);
	free(is_followed);
	map_free(&row_of);
}

void lint_variables(struct findings *findings, const struct net *net, const struct lint_track *track)
{
	size_t n;
	if (track->n > LINT_DEPENDENCES) {
		findings->not_searched[LINT_CHAINED] = track->n;
		findings->not_searched[LINT_LAST] = track->n;
		findings->not_searched[LINT_SYNC] = track->n;
		return;
	}
	if (track->n == 0)
		return;
	struct named *rows = sort_rows(track, &n);
	find_chains(findings, net, rows, n);
	find_needless(findings, net, rows, n);
	free(rows);
}
