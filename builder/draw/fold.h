/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A graph folded by construct: what the same construct makes in regions of the same path (a region's construct, and those of
 * the regions around it; of recursive ones the outermost) is one class, with how many nodes it stands for, what they
 * executed and how long they waited. A region's own node and its implicit tasks are one class. Classes have labels instead
 * of numbers of constructs, so that those of several processes can be added up.
 *
 * Exact, in time linear in the graph; the same for every number of threads. One thread.
 */
#ifndef OTTER_BUILDER_DRAW_FOLD_H
#define OTTER_BUILDER_DRAW_FOLD_H

#include "builder/answer/answer.h"
#include "builder/graph/view.h"
#include "builder/model/tables.h"
#include "builder/support/map.h"

/* ---- Labels ---- */

/*
 * Texts, each once, with numbers from 1: the labels of constructs, which are the same in all processes of a run, unlike
 * the numbers of constructs. Used by fold.c; one thread.
 */

struct labels {
	struct label {
		char *text;
		uint32_t next; /* with the same hash, 0 none */
	} * rows;              /* row 0 has no text */
	uint32_t n;
	size_t capacity;
	struct map first; /* hash -> row */
};

/* The text's number, added if it is new. */
uint32_t labels_number(struct labels *labels, const char *text);
void labels_free(struct labels *labels);

static inline const char *labels_text(const struct labels *labels, uint32_t number)
{
	return number != 0 ? labels->rows[number].text : "";
}

/* With more classes of regions than this, the path of further ones is left out. */
#define FOLD_TEAMS_MAX 4096

/* Drawn like an edge: two tasks that exclude each other. */
#define PAIR_EXCLUSIVE EDGE_KINDS

struct fold_class {
	uint32_t team;  /* class of the region around it, or of the one that a barrier or join belongs to; 0 none */
	uint32_t label; /* number in the labels */
	enum node_kind kind;
	uint64_t n;                 /* regions, tasks, nodes */
	uint64_t n_members;         /* implicit tasks */
	uint64_t own_ns;            /* executed by its tasks; for work of a device, or a transfer: its duration */
	uint64_t least_ns, most_ns; /* of one of them */
	uint64_t wait_ns;           /* how long its tasks waited in synchronisations, for mutexes and devices */
	uint64_t n_on_path, path_ns;
	uint64_t n_bytes;                                        /* of operations on data */
	int32_t device;                                          /* of kernels: that of the first one */
	uint64_t own_ticks, wait_ticks, least_ticks, most_ticks; /* while the process is folded */
};

struct fold_edge {
	uint32_t from, to;     /* classes */
	unsigned kind;         /* enum edge_kind, or PAIR_EXCLUSIVE */
	uint64_t n, n_on_path; /* how often the critical path takes one */
};

/* A worksharing construct in the regions of a construct: what was executed there is part of what the region has. */
struct fold_loop {
	uint32_t team_label, label;
	uint64_t n, own_ns, wait_ns; /* wait: in the barrier that ends it */
};

struct fold {
	struct fold_class *classes; /* row 0 is none */
	uint32_t n_classes;
	size_t classes_capacity;
	struct map class_rows;
	uint32_t n_teams;
	struct fold_edge *edges;
	uint32_t n_edges;
	size_t edges_capacity;
	struct map edge_rows;
	struct fold_loop *loops;
	uint32_t n_loops;
	size_t loops_capacity;
	uint64_t n_nodes; /* of the graph */
	uint64_t n_processes;
};

/* What a process is folded from. */
struct fold_source {
	const struct trace *trace;
	const struct graph *graph;
	const struct graph *path_graph; /* at the fragment level, with the critical path; NULL: it is not known */
	const struct answer *answer;    /* made; NULL: none */
	const uint64_t *wait_ticks;     /* by task; NULL: not known */
};

void fold_process(struct fold *fold, struct labels *labels, const struct fold_source *source);
/* Adds the classes of `other`, which has the same labels. */
void fold_add(struct fold *fold, const struct fold *other);
void fold_free(struct fold *fold);

static inline uint64_t fold_edge_key(uint32_t from, uint32_t to, unsigned kind)
{
	return ((uint64_t)from << 32 | to) * (PAIR_EXCLUSIVE + 1) + kind + 1;
}

/* fold_rows.c: the row of a class, an edge or a loop, added if it is new. */
uint32_t fold_class_row(struct fold *fold, uint32_t team, enum node_kind kind, uint32_t label);
struct fold_edge *fold_edge_row(struct fold *fold, uint32_t from, uint32_t to, unsigned kind);
struct fold_loop *fold_loop_row(struct fold *fold, uint32_t team_label, uint32_t label);
/* 0: none. */
uint32_t fold_find_class(const struct fold *fold, uint32_t team, enum node_kind kind, uint32_t label);

/* ---- Folding ---- */

/*
 * Declarations that only the files that fold a process use:
 *   fold.c          the way from a process to its folded graph: the figures of classes, edges, the critical path
 *   fold_classes.c  which class a node belongs to
 */

struct graph_folding {
	struct fold *fold;
	const struct fold_source *source;
	const struct model *model;
	struct labels *labels;
	uint32_t *label_of; /* by construct */
	uint32_t *team_of;  /* by region: its class, 0 not yet known */
	uint32_t *inner;    /* regions whose class is being looked for, from the innermost on; room for all */
	uint32_t *class_of; /* by node of the graph */
	bool adds;          /* classes that are not there yet */
};

void folding_begin(struct graph_folding *f);
void folding_end(struct graph_folding *f);

/* The class of a node of the process, 0 none: none is added for the second graph. */
uint32_t folding_class(struct graph_folding *f, const struct node_view *node);

#endif
