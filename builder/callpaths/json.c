/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The paths of creation and the graph by construct and path for the report, as one object: rows of numbers, whose columns
 * are named once. If there are too many paths, the largest are taken. Runs on one thread.
 */
#include "builder/callpaths/callpaths.h"
#include "builder/graph/view.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define WHAT       "the report"
#define ROWS_MAX   3000
#define GROUPS_MAX 1000 /* of all processes */
#define NONE       ((json_int_t)-1)

struct sized {
	uint64_t ns;
	uint32_t row;
};

static int by_ns(const void *left, const void *right)
{
	const struct sized *l = left, *r = right;
	return cmp(r->ns, l->ns) ?: cmp(l->row, r->row);
}

/*
 * By row: its number among those that are shown, or UINT32_MAX. A row above has at least as much time and comes first, so
 * the largest rows are a tree.
 */
static uint32_t *choose_rows(const struct callpaths *callpaths)
{
	struct sized *sized = memory_get(callpaths->n_rows, sizeof *sized, WHAT);
	uint32_t *shown = memory_get(callpaths->n_rows, sizeof *shown, WHAT), n = 0;
	for (uint32_t i = 0; i < callpaths->n_rows; i++)
		sized[i] = (struct sized){callpaths->rows[i].total_ns, i};
	sort_array(sized, callpaths->n_rows, by_ns);
	for (uint32_t i = 0; i < callpaths->n_rows; i++)
		shown[sized[i].row] = i < ROWS_MAX ? 0 : UINT32_MAX;
	for (uint32_t i = 0; i < callpaths->n_rows; i++)
		shown[i] = shown[i] == 0 ? n++ : UINT32_MAX;
	free(sized);
	return shown;
}

static json_t *json_rows(const struct callpaths *callpaths, const uint32_t *shown)
{
	json_t *rows = json_array();
	for (size_t i = 0; i < callpaths->n_rows; i++) {
		const struct callpath_row *row = &callpaths->rows[i];
		if (shown[i] == UINT32_MAX)
			continue;
		json_array_append_new(rows, json_pack("[I,I,I,I,I,I,I,I]", row->depth == 0 ? NONE : (json_int_t)shown[row->parent],
						      (json_int_t)row->frame, (json_int_t)row->process, (json_int_t)row->count,
						      (json_int_t)row->own_ns, (json_int_t)row->total_ns,
						      row->has_path ? (json_int_t)row->path_ns : NONE, (json_int_t)row->model_row));
	}
	return rows;
}

static json_t *json_frames(const struct callpaths *callpaths)
{
	json_t *frames = json_array();
	for (size_t i = 0; i < callpaths->n_frames; i++)
		json_array_append_new(frames, json_pack("[s,s,I]", callpaths->frames[i].name, callpaths->frames[i].file,
							(json_int_t)callpaths->frames[i].line));
	return frames;
}

/* Chooses the groups of whole processes, as many as there is room for. */
static size_t choose_groups(const struct callpaths *callpaths)
{
	size_t n = 0;
	for (size_t i = 1; i <= callpaths->n_groups && i <= GROUPS_MAX; i++)
		n = i == callpaths->n_groups || callpaths->groups[i].process != callpaths->groups[i - 1].process ? i : n;
	return n;
}

static json_t *json_groups(const struct callpaths *callpaths, const uint32_t *shown, size_t n)
{
	json_t *groups = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct callpath_group *group = &callpaths->groups[i];
		bool has_row = group->row != UINT32_MAX && shown[group->row] != UINT32_MAX;
		const char *kind = group->kind != NODE_NONE ? node_kind_name(group->kind) : "other";
		json_array_append_new(groups,
				      json_pack("[s,I,I,I,I,I,I,I,I]", kind, (json_int_t)group->frame, (json_int_t)group->process,
						has_row ? (json_int_t)shown[group->row] : NONE, (json_int_t)group->count,
						(json_int_t)group->own_ns, (json_int_t)group->n_on_path, (json_int_t)group->path_ns,
						(json_int_t)group->model_row));
	}
	return groups;
}

static json_t *json_links(const struct callpaths *callpaths, size_t n_groups)
{
	json_t *links = json_array();
	for (size_t i = 0; i < callpaths->n_links; i++) {
		const struct callpath_link *link = &callpaths->links[i];
		if (link->source < n_groups)
			json_array_append_new(links, json_pack("[I,I,s,I,I]", (json_int_t)link->source, (json_int_t)link->target,
							       edge_kind_name(link->kind), (json_int_t)link->count,
							       (json_int_t)link->n_on_path));
	}
	return links;
}

/* Middle and size of each group's box; null: it has no place. */
static json_t *json_boxes(const struct callpaths *callpaths, size_t n)
{
	json_t *boxes = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct callpath_group *g = &callpaths->groups[i];
		json_t *box = json_pack("[i,i]", (int)lroundf(g->width), (int)lroundf(g->height));
		if (g->has_place) {
			json_array_append_new(box, json_integer(lroundf(g->x)));
			json_array_append_new(box, json_integer(lroundf(g->y)));
		}
		json_array_append_new(boxes, box);
	}
	return boxes;
}

/* Source, target, and the points' x and y. */
static json_t *json_curves(const struct callpaths *callpaths, size_t n_groups)
{
	json_t *curves = json_array();
	for (size_t i = 0; i < callpaths->n_curves; i++) {
		const struct callpath_curve *curve = &callpaths->curves[i];
		json_t *points = json_array();
		for (uint32_t j = 0; j < curve->n_points; j++) {
			json_array_append_new(points, json_integer(lroundf(callpaths->points[curve->first_point + j].x)));
			json_array_append_new(points, json_integer(lroundf(callpaths->points[curve->first_point + j].y)));
		}
		if (curve->source < n_groups)
			json_array_append_new(curves,
					      json_pack("[I,I,o]", (json_int_t)curve->source, (json_int_t)curve->target, points));
		else
			json_decref(points);
	}
	return curves;
}

static json_t *json_singles(const struct callpaths *callpaths, size_t n_groups)
{
	json_t *singles = json_array();
	for (size_t i = 0; i < callpaths->n_singles; i++) {
		const struct callpath_single *single = &callpaths->singles[i];
		if (single->group < n_groups) /* those of later processes come after them */
			json_array_append_new(singles,
					      json_pack("[I,I,I,I,I,i,I,I]", (json_int_t)single->group, (json_int_t)single->task,
							(json_int_t)single->begin_ns, (json_int_t)single->end_ns,
							(json_int_t)single->own_ns, (int)single->is_on_path,
							single->is_created ? (json_int_t)single->create_ns : NONE,
							single->stream != UINT32_MAX ? (json_int_t)single->stream : NONE));
	}
	return singles;
}

static json_t *json_single_links(const struct callpaths *callpaths, size_t n_groups)
{
	json_t *links = json_array();
	for (size_t i = 0; i < callpaths->n_single_links; i++) {
		const struct callpath_single_link *link = &callpaths->single_links[i];
		if (callpaths->singles[link->source].group < n_groups)
			json_array_append_new(links, json_pack("[I,I,s,i]", (json_int_t)link->source, (json_int_t)link->target,
							       edge_kind_name(link->kind), (int)link->is_on_path));
	}
	return links;
}

json_t *callpath_json(const struct callpaths *callpaths)
{
	uint32_t *shown = choose_rows(callpaths);
	size_t n_groups = choose_groups(callpaths);
	json_t *object = json_pack("{s:I, s:[ssssssss], s:[sssssssss], s:[sssss], s:[ssssssss], s:[ssss], s:I}", "n_rows",
				   (json_int_t)callpaths->n_rows, "row", "above", "frame", "process", "count", "own_ns", "total_ns",
				   "path_ns", "construct", "group", "kind", "frame", "process", "row", "count", "own_ns",
				   "n_on_path", "path_ns", "construct", "link", "source", "target", "kind", "count", "n_on_path",
				   "single", "group", "task", "begin_ns", "end_ns", "own_ns", "path", "create_ns", "thread",
				   "single_link", "source", "target", "kind", "path", "focus", (json_int_t)callpaths->focus - 1);
	json_object_set_new(object, "frames", json_frames(callpaths));
	json_object_set_new(object, "rows", json_rows(callpaths, shown));
	json_object_set_new(object, "groups", json_groups(callpaths, shown, n_groups));
	json_object_set_new(object, "links", json_links(callpaths, n_groups));
	json_object_set_new(object, "boxes", json_boxes(callpaths, n_groups));
	json_object_set_new(object, "curves", json_curves(callpaths, n_groups));
	json_object_set_new(object, "singles", json_singles(callpaths, n_groups));
	json_object_set_new(object, "single_links", json_single_links(callpaths, n_groups));
	free(shown);
	return object;
}
