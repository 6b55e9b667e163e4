/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the paths of creation of each construct. Paths of both sides are the same one where all of their steps are
 * matched. If below the same path each side has exactly one step of a kind without a match, the two are matched: so the
 * paths below a creator that was renamed are still compared.
 */
#include "builder/diff/diff.h"
#include "builder/support/memory.h"
#include "builder/support/lower_bound.h"
#include "builder/support/sort.h"

#include <math.h>
#include <string.h>

#define WHAT      "the comparison"
#define AMBIGUOUS (NO_NODE - 1)

struct matching {
	const struct diff_side *a, *b;
	const size_t *row_of_a, *row_of_b; /* by row: that of the other side, or NO_ROW */
	uint32_t *of_a, *of_b;             /* by node: that of the other side, or NO_NODE */
};

/* ---- Nodes of both sides ---- */

/* Is the node's last step a construct that the other side does not have? */
static bool is_alone(const struct diff_tree *tree, const size_t *row_of, uint32_t node)
{
	uint32_t step = tree->nodes[node].step;
	return step < STEP_OTHERS && row_of[step] == NO_ROW;
}

/*
 * The key of a path above and a kind. A kind is the first row of a that has it: kinds that a does not have need not be
 * distinguished.
 */
static uint64_t kind_key(const struct matching *m, const struct diff_side *side, uint32_t parent, uint32_t row)
{
	const char *kind = side->rows[row].place->kind;
	/* Rows are in the order of their kinds. */
	size_t first = lower_bound(i, 0, m->a->n_rows, strcmp(m->a->rows[i].place->kind, kind) < 0);
	bool is_there = first < m->a->n_rows && strcmp(m->a->rows[first].place->kind, kind) == 0;
	return (uint64_t)parent << 32 | (is_there ? (uint32_t)first : NO_NODE);
}

/* By the path above and kind: the node that is alone, or AMBIGUOUS where there are several. */
static struct map find_alone(const struct matching *m, const struct diff_side *side, const size_t *row_of)
{
	struct map alone = {0};
	for (uint32_t node = 1; node < side->tree.n_nodes; node++)
		if (is_alone(&side->tree, row_of, node)) {
			const struct diff_node *n = &side->tree.nodes[node];
			uint32_t *known = map_put(&alone, kind_key(m, side, n->parent, n->step));
			*known = *known == 0 ? node : AMBIGUOUS;
		}
	return alone;
}

static uint32_t only_one(const struct map *alone, uint64_t key)
{
	const uint32_t *node = map_get(alone, key);
	return node != NULL && *node != AMBIGUOUS ? *node : NO_NODE;
}

static void match_nodes(struct matching *m)
{
	const struct diff_tree *a = &m->a->tree, *b = &m->b->tree;
	struct map alone_a = find_alone(m, m->a, m->row_of_a), alone_b = find_alone(m, m->b, m->row_of_b);
	memset(m->of_a, 0xff, a->n_nodes * sizeof *m->of_a);
	memset(m->of_b, 0xff, b->n_nodes * sizeof *m->of_b);
	m->of_a[TREE_ROOT] = m->of_b[TREE_ROOT] = TREE_ROOT;
	for (uint32_t node = 1; node < b->n_nodes; node++) {
		const struct diff_node *n = &b->nodes[node];
		uint32_t parent = m->of_b[n->parent], other = NO_NODE;
		if (parent == NO_NODE)
			continue;
		if (!is_alone(b, m->row_of_b, node))
			other = diff_tree_child(a, parent, n->step < STEP_OTHERS ? (uint32_t)m->row_of_b[n->step] : n->step);
		else if (only_one(&alone_b, kind_key(m, m->b, n->parent, n->step)) == node)
			other = only_one(&alone_a, kind_key(m, m->b, parent, n->step));
		m->of_b[node] = other;
		if (other != NO_NODE)
			m->of_a[other] = node;
	}
	map_free(&alone_a);
	map_free(&alone_b);
}

/* ---- Paths of constructs ---- */

/* A path on its way to an entry. */
struct sorted_path {
	size_t entry;
	uint32_t a, b;
	double own_ns, count; /* by how much the medians differ */
};

static double median(const struct diff_tree *tree, uint32_t node, enum path_figure figure)
{
	return node != NO_NODE ? noise_group(diff_tree_values(tree, node, figure), tree->n_runs).median : 0;
}

static bool was_used(const struct diff_tree *tree, uint32_t node)
{
	const uint64_t *values = diff_tree_values(tree, node, 0);
	for (size_t i = 0; i < PATH_FIGURES * tree->n_runs; i++)
		if (values[i] != 0)
			return true;
	return false;
}

static struct sorted_path make_item(const struct matching *m, size_t entry, uint32_t a, uint32_t b)
{
	struct sorted_path item = {.entry = entry, .a = a, .b = b};
	item.own_ns = fabs(median(&m->b->tree, b, PATH_OWN) - median(&m->a->tree, a, PATH_OWN));
	item.count = fabs(median(&m->b->tree, b, PATH_COUNT) - median(&m->a->tree, a, PATH_COUNT));
	return item;
}

/* The entries of constructs, and of each the paths; *n becomes their number. To be freed. */
static struct sorted_path *list_items(const struct matching *m, const size_t *entry_of_b, size_t *n)
{
	const struct diff_tree *a = &m->a->tree, *b = &m->b->tree;
	struct sorted_path *items = memory_get(a->n_nodes + (size_t)b->n_nodes, sizeof *items, WHAT);
	*n = 0;
	for (uint32_t node = 1; node < a->n_nodes; node++) {
		uint32_t row = a->nodes[node].step, other = m->of_a[node];
		if (row >= STEP_OTHERS)
			continue;
		bool is_same = other != NO_NODE && b->nodes[other].step < STEP_OTHERS && m->row_of_a[row] == b->nodes[other].step;
		if (was_used(a, node) || (is_same && was_used(b, other)))
			items[(*n)++] = make_item(m, row, node, is_same ? other : NO_NODE);
	}
	for (uint32_t node = 1; node < b->n_nodes; node++) {
		uint32_t row = b->nodes[node].step, other = m->of_b[node];
		if (row >= STEP_OTHERS)
			continue;
		bool is_same = other != NO_NODE && a->nodes[other].step < STEP_OTHERS && m->row_of_b[row] == a->nodes[other].step;
		if (!is_same && was_used(b, node))
			items[(*n)++] = make_item(m, entry_of_b[row], NO_NODE, node);
	}
	return items;
}

/* Sorts by entry, then the largest difference first. */
static int by_difference(const void *left, const void *right)
{
	const struct sorted_path *l = left, *r = right;
	return cmp(l->entry, r->entry) ?: cmp(r->own_ns, l->own_ns) ?: cmp(r->count, l->count) ?: cmp(l->a, r->a) ?: cmp(l->b, r->b);
}

static struct diff_path compare_path(const struct diff *diff, const struct sorted_path *item)
{
	const struct diff_tree *a = &diff->sides[0].tree, *b = &diff->sides[1].tree;
	size_t n = a->n_runs > b->n_runs ? a->n_runs : b->n_runs;
	uint64_t *nothing = memory_zeroed(n, sizeof *nothing, WHAT);
	struct diff_path path = {.a = item->a, .b = item->b};
	for (unsigned f = 0; f < PATH_FIGURES; f++) {
		path.figures[f] = noise_compare(item->a != NO_NODE ? diff_tree_values(a, item->a, f) : nothing, a->n_runs,
						item->b != NO_NODE ? diff_tree_values(b, item->b, f) : nothing, b->n_runs);
		path.is_changed[f] = f == PATH_COUNT ? noise_is_other_count(&path.figures[f])
						     : noise_is_change(&path.figures[f], diff->threshold, diff->least_ns);
	}
	free(nothing);
	return path;
}

static void fill_entries(struct diff *diff, const struct sorted_path *items, size_t n)
{
	size_t n_paths = 0;
	diff->paths = memory_get(n, sizeof *diff->paths, WHAT);
	for (size_t i = 0; i < n; i++) {
		struct diff_entry *entry = &diff->entries[items[i].entry];
		if (entry->n_paths == 0)
			entry->paths = &diff->paths[n_paths];
		if (entry->n_paths == DIFF_PATHS) {
			entry->n_left_out++;
			continue;
		}
		diff->paths[n_paths++] = compare_path(diff, &items[i]);
		entry->n_paths++;
	}
}

void diff_compare_paths(struct diff *diff, const size_t *of_a, const size_t *of_b)
{
	struct matching m = {.a = &diff->sides[0], .b = &diff->sides[1], .row_of_a = of_a, .row_of_b = of_b};
	if (m.a->tree.n_nodes == 0 || m.b->tree.n_nodes == 0)
		return;
	size_t n = 0, *entry_of_b = memory_get(m.b->n_rows, sizeof *entry_of_b, WHAT);
	for (size_t j = 0, next = m.a->n_rows; j < m.b->n_rows; j++)
		entry_of_b[j] = of_b[j] != NO_ROW ? of_b[j] : next++;
	m.of_a = memory_get(m.a->tree.n_nodes, sizeof *m.of_a, WHAT);
	m.of_b = memory_get(m.b->tree.n_nodes, sizeof *m.of_b, WHAT);
	match_nodes(&m);
	struct sorted_path *items = list_items(&m, entry_of_b, &n);
	sort_array(items, n, by_difference);
	fill_entries(diff, items, n);
	free(items);
	free(entry_of_b);
	free(m.of_a);
	free(m.of_b);
}

/* ---- What a path is called ---- */

const char *diff_path_step(const struct diff *diff, const struct diff_path *path, size_t n)
{
	const struct diff_side *side = &diff->sides[path->b != NO_NODE];
	uint32_t node = path->b != NO_NODE ? path->b : path->a;
	for (; n > 0 && node != TREE_ROOT; n--)
		node = side->tree.nodes[node].parent;
	if (n > 0)
		return NULL;
	uint32_t step = side->tree.nodes[node].step;
	switch (step) {
	case STEP_PROCESS: return "process";
	case STEP_UNKNOWN: return "unknown creator";
	case STEP_OTHERS: return "other paths";
	default: return diff_place_name(side->rows[step].place);
	}
}

/* The number of steps above the construct in which two paths are the same. */
static size_t n_alike(const struct diff *diff, const struct diff_path *one, const struct diff_path *other)
{
	for (size_t n = 1;; n++) {
		const char *of_one = diff_path_step(diff, one, n), *of_other = diff_path_step(diff, other, n);
		if (of_one == NULL || of_other == NULL || strcmp(of_one, of_other) != 0)
			return n - 1;
	}
}

struct formatted diff_path_name(const struct diff *diff, const struct diff_entry *e, const struct diff_path *path, size_t width)
{
	size_t n = 1;
	for (size_t i = 0; i < e->n_paths; i++) {
		size_t alike = &e->paths[i] != path ? n_alike(diff, &e->paths[i], path) : 0;
		n = alike >= n ? alike + 1 : n;
	}
	const char *step = diff_path_step(diff, path, n);
	struct formatted shown;
	snprintf(shown.text, sizeof shown.text, "by %.50s%s",
		 format_fit(step != NULL ? step : "process", width - (n > 1 ? 6 : 3)).text, n > 1 ? " .." : "");
	return shown;
}
