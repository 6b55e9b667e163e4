/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes canonical names of Argobots' work units. A name is a path: it begins with a unit that was not created (the primary
 * unit of a life of the library, an external thread), and each step is the unit's number among those that its creator
 * created and revived, in the order of the creator's program. External threads come in any order, and are numbered by what
 * they create. What depends on timing has no name: whether a unit had to wait, and who woke it. Called by canonical.c and
 * canonical_number.c.
 */
#include "builder/graph/canonical.h"
#include "builder/support/memory.h"

#include <stdlib.h>
#include <string.h>

/* So many steps of a path are written out; what is before them is told by its hash. */
#define STEPS_MAX 200

struct canonical_units {
	uint64_t *path;   /* by row: hash of its path */
	uint32_t *number; /* by row: of external threads, from 1 */
};

/* The beginning of paths: nobody is known to have created it. */
static bool is_root(const struct work_unit *unit)
{
	return unit->creator == 0 || unit->number == 0;
}

struct ranked {
	uint64_t shape;
	uint32_t row;
};

static int by_shape(const void *left, const void *right)
{
	const struct ranked *l = left, *r = right;
	if (l->shape != r->shape)
		return l->shape < r->shape ? -1 : 1;
	return l->row < r->row ? -1 : l->row > r->row;
}

/*
 * Roots of one kind and life have numbers by the shape of what they create: creators come before what they create in
 * the table.
 */
static void number_roots(struct canon *c)
{
	const struct model *m = c->m;
	uint64_t *shape = memory_zeroed(m->n_units, sizeof *shape, "the canonical graph");
	struct ranked *roots = memory_get(m->n_units, sizeof *roots, "the canonical graph");
	uint32_t n = 0;
	for (uint32_t row = m->n_units - 1; row > 0; row--) {
		const struct work_unit *unit = &m->units[row];
		shape[row] = canonical_mix(shape[row], c->label_hash[unit->construct]);
		if (!is_root(unit))
			shape[unit->creator] = canonical_mix(shape[unit->creator], shape[row]);
		else if (unit->state & UNIT_SEEN)
			roots[n++] = (struct ranked){canonical_mix(canonical_mix(unit->kind, unit->life), shape[row]), row};
	}
	qsort(roots, n, sizeof *roots, by_shape);
	for (uint32_t i = 0, counts[UNIT_KINDS] = {0}; i < n; i++)
		c->units->number[roots[i].row] = ++counts[m->units[roots[i].row].kind];
	free(shape);
	free(roots);
}

void canonical_units_begin(struct canon *c)
{
	const struct model *m = c->m;
	if (m->n_units == 0)
		return;
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
	number_roots(c);
	for (uint32_t row = 1; row < m->n_units; row++) {
		const struct work_unit *unit = &m->units[row];
		uint64_t from =
			is_root(unit) ? canonical_mix(canonical_mix(31, unit->kind), unit->life) : c->units->path[unit->creator];
		c->units->path[row] = canonical_mix(from, is_root(unit) ? c->units->number[row] : unit->number);
	}
}

void canonical_units_free(struct canon *c)
{
	if (c->units == NULL)
		return;
	free(c->units->path);
	free(c->units->number);
	free(c->units);
	c->units = NULL;
}

static void put_path(const struct canon *c, FILE *out, uint32_t row)
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
		fprintf(out, "~%016llx", (unsigned long long)c->units->path[row]);
	} else {
		if (c->has_many_processes)
			fprintf(out, "%u:", c->process);
		fprintf(out, "%c%u", letters[units[row].kind],
			units[row].kind == UNIT_PRIMARY ? units[row].life : c->units->number[row]);
	}
	while (n > 0)
		fprintf(out, ".%u", steps[--n]);
}

void canonical_put_unit(const struct canon *c, FILE *out, uint32_t id)
{
	const struct node *node = graph_inner_node(c->graph, id);
	const char *label = canonical_label(c, node->construct);
	bool has_label = node->construct != 0 && node->kind != NODE_UNIT_JOIN;
	fprintf(out, "%s[", has_label ? label : node_kind_name(node->kind));
	put_path(c, out, node->unit);
	if (node->kind == NODE_UNIT_JOIN)
		fprintf(out, ".j%u", c->node_ordinal[id - c->m->n_tasks]);
	fputc(']', out);
}
