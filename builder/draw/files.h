/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures of a run.
 */
#ifndef OTTER_BUILDER_DRAW_FILES_H
#define OTTER_BUILDER_DRAW_FILES_H

#include "builder/answer/answer.h"
#include "builder/graph/files.h"
#include "builder/draw/svg.h"
#include "builder/replay/sink.h"

/* What the graph is drawn from. */
struct drawn_from {
	const struct graphs *graphs;
	const struct states *states; /* one a trace */
	const struct answer *answer; /* of the current process; NULL: not requested */
};

/* Which files of the graph are written. */
struct graph_pictures {
	bool has_dot;
	unsigned formats;  /* enum picture_format */
	uint64_t width_mm; /* of the picture, at most */
	uint64_t date_ns;  /* as in struct picture_place */
};

/* What was drawn, for the screen; complete when the sink is closed. */
struct drawn {
	uint64_t n_nodes, n_shown; /* of the graph, in the picture */
	bool is_folded;
};

/*
 * DIR/graph.dot and the picture graph: every node, or, if these are more than two fifths of max_nodes, the graph folded to
 * at most max_nodes. Returns 0, or -1 with the error printed.
 */
int sink_dot_open(struct sink *sink, const struct drawn_from *from, const char *dir, uint64_t max_nodes,
		  const struct graph_pictures *pictures, struct drawn *drawn);

/* The pictures timeline and parallelism: what threads did over time. 0, or -1 with the error printed. */
int sink_profile_open(struct sink *sink, const struct drawn_from *from, const struct picture_place *place, uint64_t width_mm);

#endif
