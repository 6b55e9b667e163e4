/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes canonical names of Argobots' work units. A name is a path: it begins with a unit that was not created (the
 * primary unit of a life of the library, an external thread), and each step is the unit's number among those that its
 * creator created and revived, in the order of the creator's program. External threads come in any order, and are
 * numbered by their classes, as canonical_number.c numbers other nodes. What depends on timing has no name: whether a
 * unit had to wait, and which unit woke it.
 */
#include "builder/argobots/argobots.h"
#include "builder/graph/canonical.h"
#include "builder/graph/shared.h"
#include "builder/support/memory.h"
#include "builder/support/sort.h"

#include <stdlib.h>
#include <string.h>

/* At most this many steps of a path are written out; the steps before them are replaced by their hash. */
#define STEPS_MAX 200

struct canonical_units {
	uint64_t *path;   /* by row: hash of its path */
	uint32_t *number; /* by row: for roots, their number, from 1 */
};

/* Does a path begin with this unit, as its creator is unknown? */
static bool is_root(const struct work_unit *unit)
{
	return unit->creator == 0 || unit->number == 0;
}

static void begin(struct canon *c)
{
	const struct model *m = c->m;
	c->units = memory_zeroed(1, sizeof *c->units, "the canonical graph");
	c->units->path = memory_zeroed(m->n_units, sizeof *c->units->path, "the canonical graph");
	c->units->number = memory_zeroed(m->n_units, sizeof *c->units->number, "the canonical graph");
	uint32_t *n_joins = memory_zeroed(m->n_units, sizeof *n_joins, "the canonical graph");
	for (uint32_t i = 0; i < c->graph->n_nodes; i++) {
		const struct node *node = &c->graph->nodes[i];
		if (node->kind == NODE_UNIT_JOIN)
			c->node_ordinal[i] = ++n_joins[node->unit];
	}
	free(n_joins);
}

static uint64_t step_of(const struct canon *c, uint32_t id, uint32_t *after)
{
	const struct node *node = graph_inner_node(c->graph, id);
	const struct work_unit *unit = &c->m->units[node->unit];
	uint32_t own = graph_unit_node(c->graph, node->unit);
	if (id != own) {
		*after = own;
		return hash_mix(canonical_hash(27, node->kind), c->node_ordinal[id - c->m->n_tasks]);
	}
	*after = is_root(unit) ? 0 : graph_unit_node(c->graph, unit->creator);
	uint64_t step = hash_mix(canonical_hash(28, unit->kind), c->label_hash[unit->construct]);
	return is_root(unit) ? hash_mix(step, unit->life) : hash_mix(canonical_hash(29, step), unit->number);
}

static bool needs_class(const struct canon *c, uint32_t id)
{
	uint32_t row = graph_inner_node(c->graph, id)->unit;
	return is_root(&c->m->units[row]) && id == graph_unit_node(c->graph, row);
}

struct ranked {
	uint32_t kind, life, class, row;
};

static int by_class(const void *left, const void *right)
{
	const struct ranked *l = left, *r = right;
	return cmp(l->kind, r->kind) ?: cmp(l->life, r->life) ?: cmp(l->class, r->class);
}

static void number(struct canon *c)
{
	const struct model *m = c->m;
	struct ranked *roots = memory_get(m->n_units, sizeof *roots, "the canonical graph");
	uint32_t n = 0;
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		uint32_t node = graph_unit_node(c->graph, row);
		if (is_root(unit))
			roots[n++] = (struct ranked){unit->kind, unit->life, node != 0 ? c->class[node] : 0, row};
	}
	sort_array(roots, n, by_class);
	for (uint32_t i = 0, next = 1; i < n; i++) {
		if (i > 0 && by_class(&roots[i], &roots[i - 1]) != 0)
			next = roots[i].kind == roots[i - 1].kind ? next + 1 : 1;
		c->units->number[roots[i].row] = next;
	}
	free(roots);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		uint64_t from =
			is_root(unit) ? hash_mix(canonical_hash(31, unit->kind), unit->life) : c->units->path[unit->creator];
		c->units->path[row] = hash_mix(from, is_root(unit) ? c->units->number[row] : unit->number);
	}
}

static void free_units(struct canon *c)
{
	free(c->units->path);
	free(c->units->number);
	free(c->units);
	c->units = NULL;
}

static void put_path(const struct canon *c, struct buffer *text, uint32_t row)
{
	static const char letters[UNIT_KINDS] = {
		[UNIT_UNKNOWN] = '?', [UNIT_ULT] = '?',      [UNIT_TASKLET] = '?', [UNIT_SCHEDULER] = 'S',
		[UNIT_PRIMARY] = 'P', [UNIT_EXTERNAL] = 'X', [UNIT_ROOT] = '?'};
	uint32_t steps[STEPS_MAX], n = 0;
	const struct work_unit *units = c->m->units;
	while (n < STEPS_MAX && !is_root(&units[row])) {
		steps[n++] = units[row].number;
		row = units[row].creator;
	}
	if (!is_root(&units[row])) {
		canonical_put_hash(text, c->units->path[row]);
	} else {
		canonical_put_process(c, text);
		buffer_put_text(text, (char[]){letters[units[row].kind], '\0'});
		buffer_put_decimal(text, units[row].kind == UNIT_PRIMARY ? units[row].life : c->units->number[row]);
	}
	while (n > 0) {
		buffer_put_text(text, ".");
		buffer_put_decimal(text, steps[--n]);
	}
}

static void put_name(const struct canon *c, struct buffer *text, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	bool has_label = node->construct != 0 && node->kind != NODE_UNIT_JOIN;
	buffer_put_text(text, has_label ? canonical_label(c, node->construct, 0) : node_kind_name(node->kind));
	buffer_put_text(text, "[");
	put_path(c, text, node->unit);
	if (node->kind == NODE_UNIT_JOIN) {
		buffer_put_text(text, ".j");
		buffer_put_decimal(text, c->node_ordinal[id - c->m->n_tasks]);
	}
	buffer_put_text(text, "]");
}

const struct canonical_unit_hooks argobots_canonical = {
	.begin = begin,
	.free = free_units,
	.step = step_of,
	.needs_class = needs_class,
	.number = number,
	.put_name = put_name,
};
