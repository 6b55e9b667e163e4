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

/*
 * An edge of the list, beside its source. Its ends stand for all nodes that are one with them. Edges of one source are in
 * the order of these numbers.
 */
static inline uint64_t canonical_edge(uint32_t target, unsigned kind, unsigned dependence)
{
	return (uint64_t)target << 16 | dependence << 8 | kind; /* enum edge_kind, dependence_type */
}

static inline uint32_t canonical_target(uint64_t edge)
{
	return (uint32_t)(edge >> 16);
}

/* Its kind and dependence. */
static inline uint32_t canonical_edge_label(uint64_t edge)
{
	return (uint32_t)(edge & 0xffff);
}

/* Tasks that exclude each other: n numbers of nodes in canon.members. */
struct canonical_set {
	size_t first;
	uint32_t n;
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
	uint32_t *same;     /* by node: the node that stands for it */
	uint8_t *traits;    /* by node: what canonical_edges.c asks of the ends of edges */
	size_t *first_edge; /* by node: index into edges; n_ids + 1 entries */
	uint64_t *edges;    /* by source: canonical_edge() */
	bool *is_named;     /* by node: it is in an edge or a set */
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
	uint64_t *path;      /* by task: hash of its path */
	uint32_t *path_todo; /* while hashes are made */
	uint8_t *
		known_depth; /* by task: how deep the path in its name is, + 1; 0: it has no name yet, or a path that is too deep */
	const struct canonical_name *names; /* by node, in the list */
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

/* The names and lines of all processes, of which there are millions. */
struct canonical_list {
	struct canonical_name { /* several may be equal */
		const char *text;
		uint32_t n;       /* 0: no line has the name, so it was not made */
		uint32_t n_label; /* bytes before the path */
	} * names;
	size_t *first_line; /* by name: index into lines of those that begin with it; n_names + 1 entries */
	uint64_t *lines;    /* canonical_edge(), whose target is a name */
	size_t n_names, n_lines, names_capacity, first_capacity, lines_capacity;
	struct canonical_pair {
		uint32_t left, right;
	} * pairs; /* names of tasks that exclude each other */
	size_t n_pairs, pairs_capacity;
	bool has_label[1 << 16]; /* by canonical_edge_label(): there are such lines */
	bool is_too_long;        /* it would have more names than there are numbers for them, and is not whole */
	char **chunks;           /* the names' text; no name is in two */
	size_t n_chunks;
};

/*
 * canonical_list.c. Adds names, which the caller has to make, and lines by name, whose targets are these names. Arrays that
 * are taken over, as those of the first process are, are set to NULL.
 */
void canonical_add_lines(struct canonical_list *list, uint32_t n_names, size_t **first_line, uint64_t **lines);
/* Prints the sorted list. 0, or -1 with errno set. */
int canonical_print(const struct canonical_list *list, FILE *out);
/* Sorts n numbers by canonical_edge(): of one source, or a part of the list's lines by their targets' ranks. Any thread. */
void canonical_sort_edges(uint64_t *edges, size_t n);

/* canonical_names.c: where one thread writes names. */
struct canonical_text {
	struct canonical_list *list;
	struct buffer name; /* in the making */
	char *next;         /* where the next one goes in a chunk */
	size_t n_left;      /* bytes there */
	size_t n_chunk;     /* how large chunks are by now, but for names that are longer; 0: there is none yet */
};
struct canonical_name canonical_put_name(struct canonical_text *text, size_t n_label);

/* canonical_names.c: names those nodes that need it. */
void canonical_names(struct canon *c, struct canonical_list *list, struct canonical_name *names);

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
