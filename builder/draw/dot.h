/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that only the files of graph.dot use:
 *   dot.c         the sink: which of the drawings it is, and what frames it
 *   dot_whole.c   a graph that is drawn node by node
 *   dot_fold.c    a folded graph: which of its classes are drawn as what
 *   dot_alike.c   tasks that are alike, which are a table
 *   dot_put.c     the text of a folded graph
 *   dot_table.c   regions without tasks, and tasks that are alike, as a table
 *   dot_style.c   what nodes and edges look like
 */
#ifndef OTTER_BUILDER_DRAW_DOT_H
#define OTTER_BUILDER_DRAW_DOT_H

#include "builder/draw/fold.h"
#include "builder/support/buffer.h"
#include "builder/model/tables.h"
#include "builder/states/states.h"

#include <stdio.h>

/* dot_put_label: the inside of a node's label; `label` is its construct's, quoted. dot_put_style: what follows the label. */
void dot_put_label(struct buffer *text, enum node_kind kind, const char *label, size_t n);
void dot_put_style(struct buffer *text, enum node_kind kind, bool is_folded, bool is_on_path);
const char *dot_colour(enum node_kind kind);

/* One of Argobots' units, whose label has its kind. */
bool dot_is_work_unit(enum node_kind kind);

const char *dot_edge_style(unsigned kind);
/* What the edge means, in a word for people. */
const char *dot_edge_word(unsigned kind);

/* A time in three digits: "1.23 ms". */
void dot_put_time(struct buffer *text, uint64_t ns);

/* dot_whole.c: all n_nodes nodes of a process, which are numbered from `offset` on, and all edges. */
void dot_draw_whole(FILE *out, const struct fold_source *source, uint64_t offset, uint64_t n_nodes);

/* ---- A folded graph ---- */

/* How a folded graph is drawn. */
struct dot_view {
	const struct fold *fold;
	const struct labels *labels;
	const char *prefix; /* before the names of nodes */
	uint32_t *as;       /* by class: the class at whose node it is drawn, 0 it is not; `others` for the rest */
	bool *is_table;     /* by class: regions are drawn as a table at its node */
	uint32_t others;    /* row of what is drawn together because it is too little; 0 none */
	uint32_t n_nodes;   /* number of nodes that are drawn */
	uint64_t total_own_ns, path_ns, n_path_steps; /* of all classes; of all edges */
};

/* Chooses what is drawn, so that at most max_nodes nodes are (one at least). shown_free() afterwards. */
void shown_make(struct dot_view *shown, const struct fold *fold, const struct labels *labels, uint64_t max_nodes);
void shown_free(struct dot_view *shown);

/* dot_alike.c: tables of tasks. */
void dot_find_alike(struct dot_view *shown);

/* dot_put.c */
void dot_put_fold(struct buffer *text, const struct dot_view *shown);
/* dot_table.c: the label, and what comes with it, of the regions that are drawn at this node. */
void dot_put_table(struct buffer *text, const struct dot_view *shown, uint32_t node);

/* ---- Waits ---- */

/*
 * How long each task waited: its thread was in a state of waiting while the task was current. Used by dot.c, which
 * receives the states; those of a stream on its thread, and what is by task on the thread on which the task is current.
 */

struct waits {
	const struct trace *trace;
	const struct states *states;
	uint64_t *ticks; /* by row of model.tasks */
	struct waits_stream {
		uint32_t task;  /* the task that the thread's state belongs to */
		char apart[60]; /* so that no two streams share a cache line */
	} * streams;            /* by row of dump.streams */
};

void waits_begin(struct waits *waits, const struct trace *trace, const struct states *states);
/* A function for struct state_listener. */
int waits_pass_state(struct waits *waits, uint32_t stream, enum state from, uint64_t since_ticks, uint64_t ticks);
void waits_free(struct waits *waits);

#endif
