/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical edge list: the same for every run that makes the same graph, whatever the number of threads and their
 * timing (docs/graph.md says for which programs all runs do). A node is named by its path of creation. All implicit
 * tasks of a region are one node, and so are the regions that they all encounter at the same place; for the same reason
 * everything between two barriers of a team hangs on the first and leads to the second. Nodes whose order is the
 * program's have numbers in that order. What the threads of a team do in any order is numbered by what comes in and
 * goes out, looked at so often that nothing changes any more; what is equal then has equal names, and equal lines are
 * counted.
 *
 * canonical_family.c finds who is whose child, canonical_edges.c which nodes are one and the edges between them,
 * canonical_number.c gives the numbers by the classes that canonical_refine.c makes, canonical_units.c does so for
 * Argobots' work units, canonical_names.c makes names, canonical.c the list, which canonical_list.c sorts and prints.
 * Shared by these alone.
 */
#ifndef OTTER_BUILDER_GRAPH_CANONICAL_H
#define OTTER_BUILDER_GRAPH_CANONICAL_H

#include "builder/graph/canonical_refine.h"
#include "builder/graph/files.h"
#include "builder/graph/split.h"
#include "builder/support/buffer.h"

/* An edge of the list. Its ends stand for all nodes that are one with them. */
struct canonical_edge {
	uint32_t source, target;
	uint8_t kind, dependence; /* enum edge_kind, dependence_type */
};

/* Tasks that exclude each other: n numbers of nodes in canon.members. */
struct canonical_set {
	size_t first;
	uint32_t n;
};

/* The path in a task's name. */
struct canonical_path {
	const char *text; /* in the list; NULL: not kept */
	uint32_t n;
	uint32_t depth; /* of the path's first task, counted from this one */
};

struct canon {
	const struct graph *graph;
	const struct model *m;
	uint32_t process;
	bool has_many_processes;
	uint32_t n_ids;       /* numbers of nodes are below: tasks, then inner nodes */
	uint64_t *label_hash; /* by construct: one construct may have several addresses, and so rows */
	/* Families. */
	uint32_t *family;    /* by task: itself, or the implicit task that stands for it */
	uint32_t *of_region; /* by region: the implicit task that stands for all of them, 0: none was recorded */
	bool *is_settled;    /* by region, while families are looked for */
	uint32_t *order;     /* tasks, parents before children */
	uint32_t n_ordered;
	uint32_t *first_child; /* by task: index into children; n_tasks + 1 entries */
	uint32_t *children;
	uint32_t *first_nested; /* by task that stands for others: of the regions inside, 0 none */
	uint32_t *next_nested;
	uint32_t first_root; /* the process's first initial task, 0 none */
	/* Nodes and edges. */
	uint32_t *same; /* by node: the node that stands for it */
	struct canonical_edge *edges;
	size_t n_edges, edges_capacity;
	struct canonical_set *sets;
	size_t n_sets, sets_capacity;
	uint32_t *members;
	size_t n_members, members_capacity;
	/* Numbers. */
	uint32_t *class;               /* by node: nodes with equal names have equal classes; 0 where the name needs none */
	uint32_t *ordinal;             /* by task: number among its siblings, from 1; 0: not reached from a root */
	uint32_t *node_ordinal;        /* by inner node */
	struct canonical_units *units; /* NULL: none */
	/* Names. */
	uint64_t *path;                     /* by task: hash of its path, 0 not looked up yet */
	uint32_t *path_todo;                /* what path_hash still has to do */
	uint32_t *names;                    /* by node: its number in the list + 1, 0 none yet */
	struct canonical_path *known_paths; /* by task */
	struct buffer text;                 /* a name in the making */
};

/* canonical_order.c: from 1, for each task; of a merged task for each place. Needs no families. */
void canonical_number_in_order(struct canon *c);

/* Families, children, and an order of parents before children. The first numbers of inner nodes must be there. */
void canonical_families(struct canon *c);

/* Which nodes are one, the edges between those that stand for others, each once, and the sets of exclusive tasks. */
void canonical_edges(struct canon *c);

/* All of the above, and numbers for all nodes of c->graph. */
void canonical_number(struct canon *c);
void canonical_free(struct canon *c);

/* canonical_list.c: the names and lines of all processes, of which there are millions. */
struct canonical_list {
	struct canonical_name {
		const char *text;
		uint32_t n;
	} * names; /* several may be equal */
	struct canonical_line {
		uint32_t source, target; /* names */
		uint8_t kind;            /* enum edge_kind; EDGE_KINDS: they exclude each other */
		uint8_t dependence;
	} * lines;
	size_t n_names, names_capacity, n_lines, lines_capacity;
	char **chunks; /* the names' text; no name is in two */
	size_t n_chunks, chunks_capacity;
	char *next;    /* where the next name goes in the last chunk */
	size_t n_left; /* bytes there */
};
uint32_t canonical_add_name(struct canonical_list *list, const struct buffer *text); /* its number */
void canonical_add_line(struct canonical_list *list, const struct canonical_line *line);
/* Prints the sorted list. 0, or -1 with errno set. */
int canonical_print(const struct canonical_list *list, FILE *out);

/* canonical_names.c: the number of the name of a node that stands for others. */
uint32_t canonical_name(struct canon *c, struct canonical_list *list, uint32_t id);

/* Parts of names: what stands for a long path, and "2:" where there are several processes. */
static inline void canonical_put_hash(struct buffer *text, uint64_t hash)
{
	buffer_put(text, "~", 1);
	buffer_end_at(text, text_hex(buffer_room(text, TEXT_HEX_MAX), hash, 16));
}

static inline void canonical_put_process(const struct canon *c, struct buffer *text)
{
	if (!c->has_many_processes)
		return;
	buffer_put_decimal(text, c->process);
	buffer_put(text, ":", 1);
}

/* Is the task one of a team's, all of which are one node here? */
static inline bool canonical_is_merged(const struct canon *c, uint32_t task)
{
	return !task_is_explicit(&c->m->tasks[task]) && !(c->m->regions[c->m->tasks[task].region].state & REGION_INITIAL);
}

/*
 * What is not there in every run: operations on data come where the data is not on the device yet, or no more, and
 * where there is a device; a unit waits where it comes too early; in a team of one it is not known which
 * tasks the program made undeferred, and timing may decide which task fulfils an event.
 */
static inline bool canonical_leaves_out(unsigned kind)
{
	return kind == NODE_DATA_OP || kind == NODE_SUBMIT || kind == NODE_KERNEL || kind == NODE_TASK_END ||
	       kind == NODE_UNIT_WAIT;
}

/* The same of edges: kernels are left out, and joins follow from the teams. */
static inline bool canonical_leaves_out_edge(unsigned kind)
{
	return kind == EDGE_COMPLETE || kind == EDGE_JOIN || kind == EDGE_UNDEFERRED || kind == EDGE_FULFILL;
}

/* Is it a node inside of a task that has a name? A join counts as part of its region. */
static inline bool canonical_is_inner(const struct node *node)
{
	return node->task != 0 && node->is_placed && node->kind != NODE_JOIN && !canonical_leaves_out(node->kind);
}

/* What stands for the kind of an inner node in paths. */
static inline char canonical_letter(unsigned kind)
{
	return kind == NODE_REGION ? 'r' : kind == NODE_TASKGROUP ? 'g' : kind == NODE_TARGET_REGION ? 't' : 'w';
}

/* How many barriers of its team came before an implicit task created this one; 0 for children of other tasks. */
static inline uint32_t canonical_phase(const struct canon *c, uint32_t task)
{
	bool is_explicit = task_is_explicit(&c->m->tasks[task]);
	return is_explicit ? graph_interval_row(c->graph, c->graph->tasks[task].interval)->phase : 0;
}

/*
 * Was the construct, met inside of this task, reported through gcc's entry points, in an explicit task? Then its place
 * is lost in those runs in which the team's primary thread runs the task in the closing barrier (Q60), so no place may be
 * in the list. gcc's code begins regions itself, where clang's and flang's have the runtime begin them.
 */
static inline bool canonical_is_placeless(const struct canon *c, uint32_t inside)
{
	const struct task *task = &c->m->tasks[inside];
	return inside != 0 && task_is_explicit(task) && c->m->regions[task->region].flags & parallel_flags_invoker_program;
}

/* The label of a construct met inside of a task: all tasks' own constructs are met inside of their parents. */
static inline const char *canonical_label(const struct canon *c, uint32_t construct, uint32_t inside)
{
	const struct construct *known = &c->m->constructs[construct];
	return canonical_is_placeless(c, inside) ? construct_kind_name(known->kind) : known->label;
}

/* A hash of that label. */
static inline uint64_t canonical_label_hash(const struct canon *c, uint32_t construct, uint32_t inside)
{
	return canonical_is_placeless(c, inside) ? c->m->constructs[construct].kind + 1u : c->label_hash[construct];
}

static inline uint64_t canonical_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

/* A hash that begins: of a value of the kind that `what` stands for, which is any small number of its own. */
static inline uint64_t canonical_hash(uint64_t what, uint64_t value)
{
	return canonical_mix(what * UINT64_C(0xbf58476d1ce4e5b9), value);
}

/*
 * canonical_units.c: the numbers of joins; what a unit's node is named after, as for other nodes in canonical_number.c;
 * numbers by class; the name of a node of a unit.
 */
void canonical_units_begin(struct canon *c);
void canonical_units_free(struct canon *c);
uint64_t canonical_unit_step(const struct canon *c, uint32_t id, uint32_t *after);
bool canonical_unit_needs_class(const struct canon *c, uint32_t id);
void canonical_number_units(struct canon *c);
void canonical_put_unit(const struct canon *c, struct buffer *text, uint32_t id);

#endif
