/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of a folded graph, and how those of two processes are added up: see fold.h.
 */
#include "builder/draw/fold.h"
#include "builder/support/array.h"
#include "builder/support/hash.h"

#include <stdlib.h>
#include <string.h>

/* ---- Texts with numbers ---- */

uint32_t labels_number(struct labels *labels, const char *text)
{
	uint64_t hash = hash_text(HASH_BEGIN, text);
	uint32_t *found = map_get(&labels->first, hash), first = found != NULL ? *found : 0;
	for (uint32_t i = first; i != 0; i = labels->rows[i].next)
		if (strcmp(labels->rows[i].text, text) == 0)
			return i;
	labels->n += labels->n == 0;
	array_push(labels->rows, labels->n, labels->capacity, (struct label){text_copy(text), first});
	return *map_put(&labels->first, hash) = labels->n - 1;
}

void labels_free(struct labels *labels)
{
	for (uint32_t i = 1; i < labels->n; i++)
		free(labels->rows[i].text);
	free(labels->rows);
	map_free(&labels->first);
	*labels = (struct labels){0};
}

/* Labels and classes are few; where they were not, tasks of two regions would share a class. */
static uint64_t class_key(uint32_t team, enum node_kind kind, uint32_t label)
{
	return ((uint64_t)label << 32 | (uint64_t)(team & 0xffffff) << 8 | (uint64_t)kind) + 1;
}

uint32_t fold_find_class(const struct fold *fold, uint32_t team, enum node_kind kind, uint32_t label)
{
	const uint32_t *row = map_get(&fold->class_rows, class_key(team, kind, label));
	return row != NULL ? *row : 0;
}

uint32_t fold_class_row(struct fold *fold, uint32_t team, enum node_kind kind, uint32_t label)
{
	uint32_t *row = map_put(&fold->class_rows, class_key(team, kind, label));
	if (*row != 0)
		return *row;
	fold->n_classes += fold->n_classes == 0;
	array_push(
		fold->classes, fold->n_classes, fold->classes_capacity,
		(struct fold_class){.team = team, .label = label, .kind = kind, .least_ns = UINT64_MAX, .least_ticks = UINT64_MAX});
	fold->n_teams += kind == NODE_REGION;
	return *row = fold->n_classes - 1;
}

struct fold_edge *fold_edge_row(struct fold *fold, uint32_t from, uint32_t to, unsigned kind)
{
	uint32_t *row = map_put(&fold->edge_rows, fold_edge_key(from, to, kind));
	array_push_new(fold->edges, fold->n_edges, fold->edges_capacity, row, (struct fold_edge){from, to, kind, 0, 0});
	return &fold->edges[*row - 1];
}

struct fold_loop *fold_loop_row(struct fold *fold, uint32_t team_label, uint32_t label)
{
	for (uint32_t i = 0; i < fold->n_loops; i++)
		if (fold->loops[i].team_label == team_label && fold->loops[i].label == label)
			return &fold->loops[i];
	array_push(fold->loops, fold->n_loops, fold->loops_capacity, (struct fold_loop){team_label, label, 0, 0, 0});
	return &fold->loops[fold->n_loops - 1];
}

static void add_class(struct fold_class *to, const struct fold_class *from)
{
	if (to->n == 0)
		to->device = from->device;
	to->n += from->n;
	to->n_members += from->n_members;
	to->own_ns += from->own_ns;
	to->wait_ns += from->wait_ns;
	to->n_on_path += from->n_on_path;
	to->path_ns += from->path_ns;
	to->n_bytes += from->n_bytes;
	to->least_ns = from->least_ns < to->least_ns ? from->least_ns : to->least_ns;
	to->most_ns = from->most_ns > to->most_ns ? from->most_ns : to->most_ns;
}

void fold_add(struct fold *fold, const struct fold *other)
{
	uint32_t *rows = memory_zeroed(other->n_classes + (size_t)1, sizeof *rows, "pictures");
	for (uint32_t c = 1; c < other->n_classes; c++) { /* that of the region around it has a lower number */
		const struct fold_class *class = &other->classes[c];
		rows[c] = fold_class_row(fold, rows[class->team], class->kind, class->label);
		add_class(&fold->classes[rows[c]], class);
	}
	for (uint32_t i = 0; i < other->n_edges; i++) {
		const struct fold_edge *edge = &other->edges[i];
		struct fold_edge *sum = fold_edge_row(fold, rows[edge->from], rows[edge->to], edge->kind);
		sum->n += edge->n;
		sum->n_on_path += edge->n_on_path;
	}
	for (uint32_t i = 0; i < other->n_loops; i++) {
		const struct fold_loop *loop = &other->loops[i];
		struct fold_loop *sum = fold_loop_row(fold, loop->team_label, loop->label);
		sum->n += loop->n;
		sum->own_ns += loop->own_ns;
		sum->wait_ns += loop->wait_ns;
	}
	fold->n_nodes += other->n_nodes;
	fold->n_processes += other->n_processes;
	free(rows);
}

void fold_free(struct fold *fold)
{
	free(fold->classes);
	free(fold->edges);
	free(fold->loops);
	map_free(&fold->class_rows);
	map_free(&fold->edge_rows);
	*fold = (struct fold){0};
}
