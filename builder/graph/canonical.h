/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical edge list: the same for every run of a program whose text does not ask for the number of threads. A
 * node is named by its path of creation. The children of an explicit task are numbered in the order of the program; all
 * implicit tasks of a region are one node, and so are the regions that they all encounter at the same place; what they
 * create is numbered by (barriers before, construct, shape of the subtree), so that it does not matter which of them
 * created it. For the same reason everything between two barriers of a team hangs on the first and leads to the second.
 * What this cannot tell apart is in docs/graph.md.
 *
 * canonical_family.c finds who is whose child, canonical_number.c gives the numbers, canonical_units.c those of
 * Argobots' work units, canonical.c names, sorts and prints. Shared by these four, by nobody else.
 */
#ifndef OTTER_BUILDER_GRAPH_CANONICAL_H
#define OTTER_BUILDER_GRAPH_CANONICAL_H

#include "builder/graph/files.h"

struct canon {
	const struct graph *graph;
	const struct model *m;
	uint32_t process;
	bool has_many_processes;
	uint64_t *label_hash; /* by construct: one construct may have several addresses, and so rows */
	uint32_t *family;     /* by task: itself, or the implicit task that stands for it */
	uint32_t *of_region;  /* by region: the implicit task that stands for all of them, 0: none was recorded */
	bool *is_settled;     /* by region, while families are looked for */
	uint32_t *ordinal;    /* by task: number among its siblings, from 1; 0: not reached from a root */
	uint64_t *shape;      /* by task: hash of its subtree */
	uint32_t *order;      /* tasks, parents before children */
	uint32_t n_ordered;
	uint32_t *first_child; /* by task: index into children; n_tasks + 1 entries */
	uint32_t *children;
	uint32_t *first_nested; /* by task that stands for others: of the regions inside, 0 none */
	uint32_t *next_nested;
	uint32_t *node_ordinal;        /* by inner node */
	uint64_t *node_shape;          /* by inner node: of the tasks that it waits for, or of what is in the region */
	uint64_t *path;                /* by task: hash of its path, 0 not looked up yet */
	uint32_t *path_todo;           /* what path_hash still has to do */
	struct canonical_units *units; /* NULL: none */
	char **lines;                  /* to be sorted */
	size_t n_lines, lines_capacity;
};

/* Families, children, and an order of parents before children. */
void canonical_families(struct canon *c);

/* Numbers all nodes of c->graph. */
void canonical_number(struct canon *c);
void canonical_free(struct canon *c);

/* Is the task one of a team's, all of which are one node here? */
static inline bool canonical_is_merged(const struct canon *c, uint32_t task)
{
	return !task_is_explicit(&c->m->tasks[task]) && !(c->m->regions[c->m->tasks[task].region].state & REGION_INITIAL);
}

/*
 * What is not there in every run: operations on data come where the data is not on the device yet, or no more, and
 * where there is a device; a unit waits where it comes too early; in a team of one nobody knows which tasks are
 * undeferred, and who fulfils an event may be decided by the timing.
 */
static inline bool canonical_leaves_out(unsigned kind)
{
	return kind == NODE_DATA_OP || kind == NODE_SUBMIT || kind == NODE_KERNEL || kind == NODE_TASK_END ||
	       kind == NODE_UNIT_WAIT;
}

static inline bool canonical_leaves_out_edge(enum edge_kind kind)
{
	return kind == EDGE_COMPLETE || kind == EDGE_UNDEFERRED || kind == EDGE_FULFILL;
}

static inline const char *canonical_label(const struct canon *c, uint32_t construct)
{
	return c->m->constructs[construct].label;
}

static inline uint64_t canonical_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* canonical_units.c: numbers, once the nodes' arrays are there, and the name of a node of a unit. */
void canonical_units_begin(struct canon *c);
void canonical_units_free(struct canon *c);
void canonical_put_unit(const struct canon *c, FILE *out, uint32_t id);

/* qsort_r's comparison of rows of tasks by time of creation. */
int canonical_by_creation(const void *left, const void *right, void *model);

#endif
