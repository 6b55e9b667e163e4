/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts the constructs of a side's runs together. In all runs of a side, which are of the same program, a construct has the
 * same place: so here places are compared as they are.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/diff/run.h"
#include "builder/support/array.h"
#include "builder/support/sort.h"

#include <string.h>

#define WHAT "the comparison"

/* ---- What a construct is matched by ---- */

static int compare_bytes(const char *a, size_t n_a, const char *b, size_t n_b)
{
	int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
	return order ?: cmp(n_a, n_b);
}

int diff_row_compare_file(const struct diff_row *a, const struct diff_row *b)
{
	return compare_bytes(a->file, a->file_bytes, b->file, b->file_bytes);
}

int diff_row_compare_function(const struct diff_row *a, const struct diff_row *b)
{
	return compare_bytes(a->function, a->function_bytes, b->function, b->function_bytes);
}

int diff_row_compare_group(const struct diff_row *a, const struct diff_row *b)
{
	return strcmp(a->place->kind, b->place->kind) ?: diff_row_compare_file(a, b) ?: diff_row_compare_function(a, b);
}

bool diff_row_is_same(const struct diff_row *a, const struct diff_row *b)
{
	return a->position == b->position && (a->place->line != 0 || strcmp(a->place->label, b->place->label) == 0);
}

/* "task@main+0x1a3": where lines are not known, constructs are in the order of their code. */
static uint64_t offset_of(const char *label)
{
	const char *plus = strrchr(label, '+');
	return plus != NULL ? strtoull(plus + 1, NULL, 16) : 0;
}

static struct diff_row make_row(const struct diff_place *place)
{
	const char *slash = strrchr(place->file, '/');
	struct diff_row row = {.place = place, .file = slash != NULL ? slash + 1 : place->file, .function = place->function};
	row.file_bytes = strlen(row.file);
	row.function_bytes = strcspn(row.function, "."); /* compilers number outlined functions */
	row.position = place->line != 0 ? place->line : offset_of(place->label);
	return row;
}

/* ---- Rows ---- */

struct side_entry {
	struct diff_row row;
	struct diff_construct *construct;
	size_t run;
};

static int by_place(const void *left, const void *right)
{
	const struct diff_row *l = &((const struct side_entry *)left)->row, *r = &((const struct side_entry *)right)->row;
	int order = diff_row_compare_group(l, r);
	if (order == 0)
		order = cmp(l->position, r->position);
	if (order == 0 && l->place->line == 0)
		order = strcmp(l->place->label, r->place->label);
	return order;
}

static size_t n_constructs_of(const struct diff_side *side)
{
	size_t n = 0;
	for (size_t r = 0; r < side->n_runs; r++)
		n += side->runs[r].n_constructs;
	return n;
}

static void make_rows(struct diff_side *side)
{
	size_t n = 0, n_runs = side->n_runs;
	struct side_entry *entries = memory_get(n_constructs_of(side), sizeof *entries, WHAT);
	for (size_t r = 0; r < n_runs; r++)
		for (size_t i = 0; i < side->runs[r].n_constructs; i++) {
			struct diff_construct *c = &side->runs[r].constructs[i];
			entries[n++] = (struct side_entry){make_row(&c->place), c, r};
		}
	sort_array(entries, n, by_place);
	side->rows = memory_zeroed(n, sizeof *side->rows, WHAT);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_place(&entries[i - 1], &entries[i]) != 0) {
			struct diff_row *row = &side->rows[side->n_rows++];
			*row = entries[i].row;
			row->values[0] = memory_zeroed(FIGURES * n_runs, sizeof *row->values[0], WHAT);
			for (unsigned f = 1; f < FIGURES; f++)
				row->values[f] = row->values[f - 1] + n_runs;
		}
		entries[i].construct->row = side->n_rows - 1;
		for (unsigned f = 0; f < FIGURES; f++) /* of several processes: their sum */
			side->rows[side->n_rows - 1].values[f][entries[i].run] += entries[i].construct->figures[f];
	}
	free(entries);
}

/* ---- What limits most runs ---- */

static size_t find_row(const struct diff_side *side, const struct diff_place *place)
{
	struct side_entry key = {.row = make_row(place)};
	size_t first = 0, end = side->n_rows;
	while (first < end) {
		size_t middle = first + (end - first) / 2;
		struct side_entry entry = {.row = side->rows[middle]};
		int order = by_place(&key, &entry);
		if (order == 0)
			return middle;
		if (order < 0)
			end = middle;
		else
			first = middle + 1;
	}
	return NO_ROW;
}

static void find_limit(struct diff_side *side)
{
	size_t *rows = memory_get(side->n_runs, sizeof *rows, WHAT);
	for (size_t r = 0; r < side->n_runs; r++) {
		const struct diff_place *place = &side->runs[r].limiting;
		rows[r] = place->label != NULL && place->label[0] != '\0' ? find_row(side, place) : NO_ROW;
	}
	for (size_t r = 0; r < side->n_runs; r++) {
		size_t n = 0;
		for (size_t other = 0; other < side->n_runs; other++)
			n += rows[other] == rows[r] && strcmp(side->runs[other].limit, side->runs[r].limit) == 0;
		if (n > side->n_limited) {
			side->n_limited = n;
			side->limited = &side->runs[r];
			side->limiting = rows[r];
		}
	}
	free(rows);
}

void diff_side_finish(struct diff_side *side)
{
	make_rows(side);
	diff_tree_make(&side->tree, side->runs, side->n_runs);
	find_limit(side);
}

void diff_side_free(struct diff_side *side)
{
	for (size_t i = 0; i < side->n_rows; i++)
		free(side->rows[i].values[0]);
	for (size_t r = 0; r < side->n_runs; r++)
		diff_run_free(&side->runs[r]);
	diff_tree_free(&side->tree);
	free(side->rows);
	free(side->runs);
}

/* ---- Tree ---- */

/*
 * Puts the paths of a side's runs together: see run.h.
 */

static uint32_t add_node(struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	size_t n = PATH_FIGURES * tree->n_runs, first = tree->n_nodes * n;
	array_reserve(tree->values, first + n, tree->values_capacity);
	memset(tree->values + first, 0, n * sizeof *tree->values);
	array_push(tree->nodes, tree->n_nodes, tree->nodes_capacity, (struct diff_node){parent, step});
	return tree->n_nodes - 1;
}

static uint32_t put_node(struct diff_tree *tree, uint32_t parent, uint32_t step)
{
	uint32_t node = diff_tree_child(tree, parent, step);
	if (node == NO_NODE) {
		node = add_node(tree, parent, step);
		*map_put(&tree->children, (uint64_t)parent << 32 | step) = node;
	}
	return node;
}

static void add_run(struct diff_tree *tree, const struct diff_run *run, size_t r)
{
	uint32_t *node_of = memory_get(run->n_steps, sizeof *node_of, "the paths of creation");
	for (size_t i = 0; i < run->n_steps; i++) {
		const struct diff_step *step = &run->steps[i];
		bool is_construct = step->construct < STEP_OTHERS;
		uint32_t what = is_construct ? (uint32_t)run->constructs[step->construct].row : step->construct;
		node_of[i] = what == STEP_PROCESS ? TREE_ROOT : put_node(tree, node_of[step->above], what);
		uint64_t *values = tree->values + (size_t)node_of[i] * PATH_FIGURES * tree->n_runs;
		values[PATH_COUNT * tree->n_runs + r] += step->count;
		values[PATH_OWN * tree->n_runs + r] += step->own_ns;
	}
	free(node_of);
}

void diff_tree_make(struct diff_tree *tree, const struct diff_run *runs, size_t n_runs)
{
	*tree = (struct diff_tree){.n_runs = n_runs};
	for (size_t r = 0; r < n_runs; r++)
		if (runs[r].steps == NULL)
			return;
	add_node(tree, TREE_ROOT, STEP_PROCESS);
	for (size_t r = 0; r < n_runs; r++)
		add_run(tree, &runs[r], r);
}

void diff_tree_free(struct diff_tree *tree)
{
	free(tree->nodes);
	free(tree->values);
	map_free(&tree->children);
}
