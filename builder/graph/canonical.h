/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The canonical edge list: the same for every run that makes the same graph, for any number of threads and any
 * timing (docs/graph.md says for which programs all runs do). A node is named by its path of creation. All implicit
 * tasks of a region are one node, and so are the regions that they all encounter at the same place; for the same reason
 * everything between two barriers of a team hangs on the first and leads to the second. Nodes whose order is the
 * program's have numbers in that order. Nodes of a team's threads, which have no order, are numbered by classes: these are
 * refined by incoming and outgoing edges until nothing changes. Nodes of one class have equal names, and equal lines are
 * counted.
 *
 * canonical_family.c finds parents and children, canonical_edges.c which nodes are one and the edges between them,
 * canonical_number.c gives numbers by the classes that canonical_refine.c makes, canonical_names.c makes names, canonical.c
 * makes the list, which canonical_list.c sorts and prints. Shared by these alone.
 */
#ifndef OTTER_BUILDER_GRAPH_CANONICAL_H
#define OTTER_BUILDER_GRAPH_CANONICAL_H

#include "builder/graph/files.h"
#include "builder/graph/shared.h"
#include "builder/support/buffer.h"
#include "builder/support/hash.h"

#include <stddef.h>
#include <stdint.h>

/*
 * An edge of the list, without its source. Its ends stand for all nodes that are one with them. Edges of one source are in
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
	uint32_t n_ids;       /* all numbers of nodes are below: tasks, then inner nodes */
	uint64_t *label_hash; /* by construct: one construct may have several addresses, and so rows */
	/* Families. */
	uint32_t *family;    /* by task: itself, or the implicit task that stands for it */
	uint32_t *of_region; /* by region: the implicit task that stands for all of them, 0: none was recorded */
	bool *is_settled;    /* by region, during the search for families */
	uint32_t *order;     /* tasks, parents before children */
	uint32_t n_ordered;
	uint32_t *first_child; /* by task: index into children; n_tasks + 1 entries */
	uint32_t *children;
	uint32_t *first_nested; /* by task that stands for others: of the regions inside, 0 none */
	uint32_t *next_nested;
	uint32_t first_root; /* the process's first initial task, 0 none */
	/* Nodes and edges. */
	uint32_t *same;     /* by node: the node that stands for it */
	uint8_t *traits;    /* by node: what canonical_edges.c needs to know of the ends of edges */
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
	struct canonical_units *units; /* of the paradigm that has units; NULL: none */
	/* Names. */
	uint64_t *path;      /* by task: hash of its path */
	uint32_t *path_todo; /* while hashes are computed */
	uint8_t *
		known_depth; /* by task: how deep the path in its name is, + 1; 0: it has no name yet, or a path that is too deep */
	const struct canonical_name *names; /* by node, in the list */
};

/* canonical_family.c: from 1, for each task; of a merged task for each place. Needs no families. */
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
	bool is_too_long;        /* it would have more names than there are numbers for them, and is incomplete */
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
	size_t n_left;      /* bytes left there */
	size_t n_chunk;     /* the present size of chunks, except for longer names; 0: there is no chunk yet */
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

/* Is it an implicit task of a team? All of these are one node here. */
static inline bool canonical_is_merged(const struct canon *c, uint32_t task)
{
	return !task_is_explicit(&c->m->tasks[task]) && !(c->m->regions[c->m->tasks[task].region].state & REGION_INITIAL);
}

/*
 * Nodes that not every run has: operations on data happen only if there is a device, and the data is not on it yet, or no
 * longer; a unit waits only if it arrives too early; in a team of one it is not known which
 * tasks the program made undeferred, and timing may decide which task fulfils an event.
 */
static inline bool canonical_leaves_out(unsigned kind)
{
	return kind == NODE_DATA_OP || kind == NODE_SUBMIT || kind == NODE_KERNEL || kind == NODE_TASK_END ||
	       kind == NODE_UNIT_WAIT;
}

/* The same for edges: kernels are left out, joins follow from the teams, and iterations are no nodes. */
static inline bool canonical_leaves_out_edge(unsigned kind)
{
	return kind == EDGE_COMPLETE || kind == EDGE_JOIN || kind == EDGE_UNDEFERRED || kind == EDGE_FULFILL ||
	       kind == EDGE_DOACROSS;
}

/* Is it a node inside of a task that has a name? A join counts as part of its region. */
static inline bool canonical_is_inner(const struct node *node)
{
	return node->task != 0 && node->is_placed && node->kind != NODE_JOIN && !canonical_leaves_out(node->kind);
}

/* The letter for the kind of an inner node in paths. */
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

/* The first step of a hash: of a value and its kind `what`, a small number that no other kind has. */
static inline uint64_t canonical_hash(uint64_t what, uint64_t value)
{
	return hash_mix(what * UINT64_C(0xbf58476d1ce4e5b9), value);
}

/* What the paradigm that has units does for their nodes; canon.units is its own. On one thread, but put_name on several. */
struct canonical_unit_hooks {
	/* When families are known, and in canonical_free(). */
	void (*begin)(struct canon *c);
	void (*free)(struct canon *c);
	/* As step_of() and needs_class() in canonical_number.c. */
	uint64_t (*step)(const struct canon *c, uint32_t id, uint32_t *after);
	bool (*needs_class)(const struct canon *c, uint32_t id);
	/* Numbers by class, at last. */
	void (*number)(struct canon *c);
	void (*put_name)(const struct canon *c, struct buffer *text, uint32_t id);
};

/* ---- Canonical refine ---- */

/*
 * Refines classes of the nodes of any graph: nodes stay in one class only if equally many edges of each label lead from
 * and to every other class. Two graphs that differ only in the numbers of their nodes get the same classes. Called by
 * canonical_number.c, on one thread.
 */

struct refine_edge {
	uint32_t source, target; /* numbers of nodes */
	uint32_t label;
};

/*
 * Puts the n nodes into the coarsest classes that no edge distinguishes, beginning with nodes of equal colour.
 * classes[node] is set to a number from 1. Numbers of classes have gaps. They depend on colours and edges alone, not on
 * the numbers of nodes or on the order of edges. Time is in proportion to (n + n_edges) log n.
 */
void canonical_refine(uint32_t n, const uint64_t *colours, const struct refine_edge *edges, size_t n_edges, uint32_t *classes);

#endif
