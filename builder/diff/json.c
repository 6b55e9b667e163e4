/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The comparison for programs: diff.json. docs/analyses.md describes its keys.
 */
#include "builder/diff/diff.h"
#include "builder/support/diag.h"
#include "builder/support/file.h"
#include "builder/support/memory.h"
#include "builder/support/text.h"

#include <jansson.h>
#include <stdlib.h>

static const char *const figure_names[FIGURES] = {"count", "own_ns", "wait_ns", "blamed_ns"};

static json_t *json_place(const struct diff_place *place)
{
	if (place->label == NULL || place->label[0] == '\0')
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:I, s:o}", "kind", text_json(place->kind), "label", text_json(place->label), "file",
			 text_json(place->file), "line", (json_int_t)place->line, "function", text_json(place->function));
}

static json_t *json_group(const struct noise_group *group)
{
	return json_pack("{s:f, s:f, s:f}", "median", group->median, "least", group->least, "most", group->most);
}

static json_t *json_change(const struct noise_change *change)
{
	json_t *interval = change->has_interval ? json_pack("[f, f]", change->lowest, change->highest) : json_null();
	return json_pack("{s:o, s:o, s:f, s:o}", "a", json_group(&change->a), "b", json_group(&change->b), "difference",
			 change->difference, "interval", interval);
}

static json_t *json_side(const struct diff *diff, size_t s)
{
	const struct diff_side *side = &diff->sides[s];
	json_t *runs = json_array();
	for (size_t r = 0; r < side->n_runs; r++) {
		const struct diff_run *run = &side->runs[r];
		json_array_append_new(runs, json_pack("{s:o, s:I, s:I, s:I, s:b, s:o, s:o}", "path", text_json(run->path),
						      "threads", (json_int_t)run->n_threads, "wall_ns", (json_int_t)run->wall_ns,
						      "work_ns", (json_int_t)run->work_ns, "good", (int)run->is_good, "limit",
						      text_json(run->limit), "construct", json_place(&run->limiting)));
	}
	json_t *limit = json_pack("{s:o, s:o, s:f, s:b, s:b, s:I}", "limit", text_json(side->limited->limit), "construct",
				  json_place(&side->limited->limiting), "possible_speedup", side->limited->speedup, "lower_bound",
				  (int)side->limited->is_lower_bound, "gain_known", (int)!side->limited->is_gain_unknown, "runs",
				  (json_int_t)side->n_limited);
	return json_pack("{s:o, s:f, s:f, s:f, s:o, s:o}", "name", text_json(side->name), "threads", diff->threads[s], "wall_ns",
			 diff->wall_ns[s], "work_ns", diff->work_ns[s], "limit", limit, "runs", runs);
}

/* The steps, the first one outermost. */
static json_t *json_steps(const struct diff *diff, const struct diff_path *path, bool is_b)
{
	if ((is_b ? path->b : path->a) == NO_NODE)
		return json_null();
	struct diff_path one = {.a = path->a, .b = is_b ? path->b : NO_NODE};
	json_t *steps = json_array();
	for (size_t n = 0; diff_path_step(diff, &one, n + 1) != NULL; n++)
		json_array_insert_new(steps, 0, text_json(diff_path_step(diff, &one, n)));
	return steps;
}

static json_t *json_path(const struct diff *diff, const struct diff_path *path)
{
	static const char *const names[PATH_FIGURES] = {"count", "own_ns"};
	json_t *object = json_pack("{s:s, s:o, s:o}", "match",
				   path->a == NO_NODE   ? "new"
				   : path->b == NO_NODE ? "gone"
							: "same",
				   "a", json_steps(diff, path, false), "b", json_steps(diff, path, true));
	for (unsigned f = 0; f < PATH_FIGURES; f++) {
		json_t *change = json_change(&path->figures[f]);
		json_object_set_new(change, "changed", json_boolean(path->is_changed[f]));
		json_object_set_new(object, names[f], change);
	}
	return object;
}

static json_t *json_paths(const struct diff *diff, const struct diff_entry *e)
{
	if (diff->paths == NULL)
		return json_null();
	json_t *paths = json_array();
	for (size_t i = 0; i < e->n_paths; i++)
		json_array_append_new(paths, json_path(diff, &e->paths[i]));
	return paths;
}

static json_t *json_entry(const struct diff *diff, const struct diff_entry *e)
{
	const char *match = e->a == NULL ? "new" : e->b == NULL ? "gone" : e->is_moved ? "moved" : "same";
	json_t *object = json_pack("{s:s, s:o, s:o}", "match", match, "a", e->a != NULL ? json_place(e->a->place) : json_null(),
				   "b", e->b != NULL ? json_place(e->b->place) : json_null());
	for (unsigned f = 0; f < FIGURES; f++) {
		json_t *change = json_change(&e->figures[f]);
		json_object_set_new(change, "changed", json_boolean(e->is_changed[f]));
		json_object_set_new(object, figure_names[f], change);
	}
	json_object_set_new(object, "paths", json_paths(diff, e));
	json_object_set_new(object, "paths_left_out", json_integer((json_int_t)e->n_left_out));
	return object;
}

static json_t *json_two(const struct diff *diff)
{
	json_t *wall = json_change(&diff->wall), *constructs = json_array();
	json_object_set_new(wall, "threshold", json_real(diff->threshold));
	json_object_set_new(wall, "slower", json_boolean(diff->is_slower));
	json_object_set_new(wall, "faster", json_boolean(diff->is_faster));
	json_object_set_new(wall, "chance", json_real(1 / noise_chance(diff->sides[0].n_runs, diff->sides[1].n_runs)));
	for (size_t i = 0; i < diff->n_entries; i++)
		json_array_append_new(constructs, json_entry(diff, &diff->entries[i]));
	return json_pack("{s:o, s:b, s:o}", "wall_ns", wall, "limit_changed", (int)diff->has_other_limit, "constructs", constructs);
}

static json_t *json_scaling(const struct diff *diff)
{
	const struct diff_side *base = &diff->sides[diff->base];
	json_t *constructs = json_array();
	for (size_t i = 0; i < base->n_rows; i++) {
		json_t *own = json_array();
		for (size_t s = 0; s < diff->n_sides; s++) {
			size_t row = diff->rows[s * base->n_rows + i];
			const struct diff_side *side = &diff->sides[s];
			json_array_append_new(
				own, row == NO_ROW
					     ? json_null()
					     : json_real(noise_group(side->rows[row].values[FIGURE_OWN], side->n_runs).median));
		}
		json_array_append_new(constructs,
				      json_pack("{s:o, s:o}", "construct", json_place(base->rows[i].place), "own_ns", own));
	}
	return json_pack("{s:I, s:o}", "base", (json_int_t)diff->base, "constructs", constructs);
}

static void *json_memory(size_t n_bytes)
{
	return memory_get(n_bytes, 1, "diff.json");
}

json_t *diff_object(const struct diff *diff)
{
	json_set_alloc_funcs(json_memory, free);
	json_t *root = json_object(), *sides = json_array();
	for (size_t s = 0; s < diff->n_sides; s++)
		json_array_append_new(sides, json_side(diff, s));
	json_object_set_new(root, "sides", sides);
	json_object_set_new(root, "comparison", diff->n_sides == 2 ? json_two(diff) : json_null());
	json_object_set_new(root, "scaling", diff->has_scaling ? json_scaling(diff) : json_null());
	return root;
}

int diff_json(const struct diff *diff, const char *dir)
{
	json_t *root = diff_object(diff);
	int rc = file_json(root, dir, "diff.json");
	json_decref(root);
	return rc;
}
