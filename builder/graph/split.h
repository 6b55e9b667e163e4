/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Taskloops that LLVM's runtime splits: see split.c. Shared by the files of this folder.
 */
#ifndef OTTER_BUILDER_GRAPH_SPLIT_H
#define OTTER_BUILDER_GRAPH_SPLIT_H

#include "builder/graph/graph.h"

struct split_task {
	uint32_t now;   /* of the encountering task of a split taskloop: the first task that it created in it, 0 it is in none */
	uint32_t first; /* of a task that the encountering task created itself: the first one of the same taskloop, 0 none */
};

/* During the replay: a task is created; a scope of the task `task` ends. */
void graph_note_split(struct graph *graph, uint32_t task);
void graph_end_split(struct graph *graph, uint32_t task, const struct scope *scope);

/* After the replay: what waits for the tasks that the runtime's own tasks created. */
void graph_settle_splits(struct graph *graph);

/*
 * The order in which the program creates two tasks with the same parent, as for qsort: by time, and in a split taskloop
 * by iterations. After graph_finish.
 */
int graph_compare_siblings(const struct graph *graph, uint32_t left, uint32_t right);

/* The node of the program from which a task was created: that of the encountering task, in a split taskloop, too. */
uint32_t graph_origin(const struct graph *graph, uint32_t task);

#endif
