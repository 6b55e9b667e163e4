/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Findings about variables in dependences: keeps the dependences of the replay; then finds variables that put all tasks into
 * one chain, writers after which no task names the variable, and synchronisations after which no task depends on one before.
 */
#include "builder/findings/findings.h"
#include "builder/support/array.h"
#include "builder/support/map.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>

#define WHAT      "the findings"
#define CHAIN_MIN 3 /* the least number of tasks in a chain */

/* ---- What is kept ---- */

static int dependences(void *self, const struct point *at, uint32_t task, const struct dependence *list, size_t n)
{
	struct findings_track *track = self;
	struct findings_track_stream *s = &track->streams[at->stream];
	uint64_t before = __atomic_fetch_add(&track->n, n, __ATOMIC_RELAXED);
	if (before > FINDING_DEPENDENCES || task == 0)
		return 0;
	array_reserve(s->rows, s->n + n, s->capacity);
	for (size_t i = 0; i < n; i++)
		s->rows[s->n++] = (struct findings_dependence){list[i].variable, task, list[i].type};
	return 0;
}

const struct replay_ops findings_track_ops = {.dependences = dependences, .is_by_stream = true};

void findings_track_begin(struct findings_track *track, const struct model *model)
{
	*track = (struct findings_track){.model = model, .n_streams = model->dump->n_streams};
	track->streams = memory_zeroed(track->n_streams + 1, sizeof *track->streams, WHAT);
}

void findings_track_free(struct findings_track *track)
{
	for (size_t i = 0; track->streams != NULL && i < track->n_streams; i++)
		free(track->streams[i].rows);
	free(track->streams);
	*track = (struct findings_track){0};
}

/* ---- In the order of creation ---- */

struct named_variable {
	uint64_t create_ticks;
	struct findings_dependence row;
	size_t place;
};

static int by_creation(const void *left, const void *right)
{
	const struct named_variable *l = left, *r = right;
	return cmp(l->create_ticks, r->create_ticks) ?: cmp(l->place, r->place);
}

static struct named_variable *sorted_rows(const struct findings_track *track, size_t *n)
{
	struct named_variable *all = memory_get((size_t)track->n + 1, sizeof *all, WHAT);
	*n = 0;
	for (size_t i = 0; i < track->n_streams; i++)
		for (size_t j = 0; j < track->streams[i].n; j++, (*n)++) {
			const struct findings_dependence *row = &track->streams[i].rows[j];
			all[*n] = (struct named_variable){track->model->tasks[row->task].create_ticks, *row, *n};
		}
	sort_array(all, *n, by_creation);
	return all;
}

static bool writes(unsigned type)
{
	return type == dependence_type_out || type == dependence_type_inout;
}

/* ---- Variables of one parent ---- */

struct variable {
	struct variable_key {
		uint64_t address, parent;
	} key;
	uint32_t n, n_writers; /* number of tasks that name it, and of those with out or inout */
	uint32_t first, last;  /* the first and the last such task */
	uint32_t last_type;
};

struct variables {
	struct variable *rows;
	size_t n, capacity;
	struct map row_of; /* by map_put_row */
};

static struct variable *variable_row(struct variables *v, uint32_t parent, uint64_t address)
{
	const struct variable_key key = {address, parent};
	uint32_t *row = map_put_row(&v->row_of, v->rows, key);
	array_push_new(v->rows, v->n, v->capacity, row, (struct variable){.key = key});
	return &v->rows[*row - 1];
}

static void find_chains(struct findings *findings, const struct net *net, const struct named_variable *rows, size_t n)
{
	const struct task *tasks = net->tasks;
	struct variables v = {0};
	uint64_t *n_inout = memory_zeroed(net->graph->model->n_constructs, sizeof *n_inout, WHAT);
	for (size_t i = 0; i < n; i++) {
		const struct findings_dependence *row = &rows[i].row;
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
			struct finding *row = findings_add(findings, FINDING_CHAINED, first, last, at->n, at->n);
			row->variable = row->variable != 0 ? row->variable : at->key.address;
		}
		if (at->last_type == dependence_type_inout) {
			struct finding *row = findings_add(findings, FINDING_LAST, last, 0, 1, 0);
			row->variable = row->variable != 0 ? row->variable : at->key.address;
		}
	}
	for (size_t i = 0; i < findings->n; i++)
		if (findings->rows[i].kind == FINDING_LAST) {
			struct finding *row = &findings->rows[i];
			row->of = n_inout[row->construct];
			row->count = row->count * 2 < row->of ? 0 : row->count; /* a chain always has a last task */
		}
	free(n_inout);
	free(v.rows);
	map_free(&v.row_of);
}

/* ---- Synchronisations ---- */

struct variable_use {
	uint32_t writer, any; /* nodes: the latest synchronisations that wait for a task that writes it, or that names it */
};

static void find_needless(struct findings *findings, const struct net *net, const struct named_variable *rows, size_t n)
{
	struct map row_of = {0};
	struct variable_use *uses = memory_zeroed(n + 1, sizeof *uses, WHAT);
	bool *is_needed = memory_zeroed(net->n, sizeof *is_needed, WHAT), *is_there = memory_zeroed(net->n, sizeof *is_there, WHAT);
	bool *is_followed = memory_zeroed(net->n, sizeof *is_followed, WHAT);
	uint32_t n_uses = 0, latest = 0;
	for (size_t i = 0; i < n; i++) {
		const struct findings_dependence *row = &rows[i].row;
		enum edge_kind kind;
		uint32_t node = graph_joiner(net->graph, row->task, &kind);
		uint32_t *number = map_put(&row_of, row->variable);
		if (*number == 0)
			*number = ++n_uses;
		struct variable_use *use = &uses[*number];
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
			findings_add(findings, FINDING_SYNC, net_construct(net, id), 0, !is_needed[id], 1);
	free(uses);
	free(is_needed);
	free(is_there);
	free(is_followed);
	map_free(&row_of);
}

void findings_variables(struct findings *findings, const struct net *net, const struct findings_track *track)
{
	size_t n;
	if (track->n > FINDING_DEPENDENCES) {
		findings->not_searched[FINDING_CHAINED] = track->n;
		findings->not_searched[FINDING_LAST] = track->n;
		findings->not_searched[FINDING_SYNC] = track->n;
		return;
	}
	if (track->n == 0)
		return;
	struct named_variable *rows = sorted_rows(track, &n);
	find_chains(findings, net, rows, n);
	find_needless(findings, net, rows, n);
	free(rows);
}
