/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the class of the folded graph that a node belongs to: see fold.h.
 */
#include "builder/draw/fold.h"

#include <stdlib.h>

#define WHAT   "pictures"
#define SOUGHT UINT32_MAX /* of a region: it is among folding.inner */

void folding_begin(struct graph_folding *f)
{
	const struct model *m = f->model;
	f->label_of = memory_zeroed(m->n_constructs + (size_t)1, sizeof *f->label_of, WHAT);
	for (uint32_t i = 0; i < m->n_constructs; i++)
		f->label_of[i] = labels_number(f->labels, m->constructs[i].label);
	f->team_of = memory_zeroed(m->n_regions + (size_t)1, sizeof *f->team_of, WHAT);
	f->inner = memory_get(m->n_regions + (size_t)1, sizeof *f->inner, WHAT);
	f->class_of = memory_zeroed(graph_n_ids(f->source->graph) + (size_t)1, sizeof *f->class_of, WHAT);
}

void folding_end(struct graph_folding *f)
{
	free(f->label_of);
	free(f->team_of);
	free(f->inner);
	free(f->class_of);
}

static uint32_t class_row(const struct graph_folding *f, uint32_t team, enum node_kind kind, uint32_t label)
{
	return f->adds ? fold_class_row(f->fold, team, kind, label) : fold_find_class(f->fold, team, kind, label);
}

/* The region around a region, 0 none. */
static uint32_t region_around(const struct graph_folding *f, uint32_t region)
{
	uint32_t task = f->model->regions[region].task;
	return task != 0 ? f->model->tasks[task].region : 0;
}

/* The class of a region within the class of the one around it: of a recursive region the outermost. */
static uint32_t inner_team(const struct graph_folding *f, uint32_t around, const struct region *region)
{
	if (region->state & REGION_INITIAL)
		return class_row(f, 0, NODE_INITIAL, 0);
	uint32_t label = f->label_of[region->construct];
	for (uint32_t team = around; team != 0; team = f->fold->classes[team].team)
		if (f->fold->classes[team].kind == NODE_REGION && f->fold->classes[team].label == label)
			return team;
	return class_row(f, f->fold->n_teams < FOLD_TEAMS_MAX ? around : 0, NODE_REGION, label);
}

/* The class of a region, and of those around it, if it is not known yet. Contradictory records may make a cycle. */
static uint32_t team_class(struct graph_folding *f, uint32_t region)
{
	uint32_t n = 0, r = region;
	for (; r != 0 && f->team_of[r] == 0; r = region_around(f, r)) {
		f->inner[n++] = r;
		f->team_of[r] = SOUGHT;
	}
	uint32_t team = r != 0 && f->team_of[r] != SOUGHT ? f->team_of[r] : 0;
	while (n > 0) {
		r = f->inner[--n];
		f->team_of[r] = team = inner_team(f, team, &f->model->regions[r]);
	}
	return team;
}

/* A label with what the unit waits for, if that is no other unit. */
static uint32_t wait_label(const struct graph_folding *f, const struct node_view *node)
{
	const char *label = f->model->constructs[node->construct].label;
	if (node->kind == NODE_UNIT_JOIN)
		return f->label_of[node->construct];
	char *text = text_format("%s%s%s", label, *label != '\0' ? ": " : "", unit_sync_name(node->sync));
	uint32_t number = labels_number(f->labels, text);
	free(text);
	return number;
}

uint32_t folding_class(struct graph_folding *f, const struct node_view *node)
{
	uint32_t label = f->label_of[node->construct], team = team_class(f, node->region);
	switch (node->kind) {
	case NODE_INITIAL:
	case NODE_IMPLICIT:
	case NODE_REGION: return team;
	case NODE_FRAGMENT:
	case NODE_TASK_END:
		if (node->task != 0) {
			struct node_view task = graph_node(f->source->graph, node->task);
			return task.kind != NODE_NONE ? folding_class(f, &task) : 0;
		}
		if (node->unit_node != 0 && f->adds)
			return f->class_of[node->unit_node];
		return class_row(f, 0, node->kind, label);
	case NODE_SCOPE_END: return class_row(f, team, NODE_SCOPE_BEGIN, label);
	case NODE_UNIT_JOIN:
	case NODE_UNIT_WAIT: return class_row(f, 0, node->kind, wait_label(f, node));
	default: return class_row(f, team, node->kind, label);
	}
}
