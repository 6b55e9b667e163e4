/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trace.json: the trace-event format of Chrome, for the many programs that read it. Declarations that the files of this folder
 * share; other files use chrome_open() only:
 *   chrome.c  the sink: process by process into the file, and what is left out of a run that is too large for such programs
 *   events.c  an object for each event
 */
#ifndef OTTER_BUILDER_TIMELINE_CHROME_H
#define OTTER_BUILDER_TIMELINE_CHROME_H

#include "builder/slices/slices.h"

#define CHROME_NODES_MAX  1000000u /* of the graph */
#define CHROME_SLICES_MAX 8000000u /* and states */

struct chrome {
	struct slices slices; /* with the sweep for the counters beside them */
	const struct graphs *graphs;
	const struct states *states; /* by process, as the traces */
	const char *dir;
	FILE *out;
	uint64_t first_ns;          /* realtime when the first process began: times count from there */
	uint64_t n_nodes, n_slices; /* of the processes so far */
	bool is_folded;             /* these are too many */
	struct chrome_part {
		off_t begin, end;
	} * heads; /* what stays of a process when it is folded: its names and its counters */
	size_t n_heads, heads_capacity;
	/* For the current process. */
	const struct trace *trace;
	struct counters counters;
	char **construct_names;  /* as JSON; NULL where a construct has no label */
	char **construct_places; /* kind, file, line and function, each with a comma before it */
	bool has_failed;
};

/* Fills in the sink. 0, or -1 with the error printed. `graphs`, `states` and `dir` live as long as it. */
int chrome_open(struct sink *sink, const struct graphs *graphs, const struct states *states, const char *dir, size_t n_bins,
		const struct trace *traces, size_t n_traces);

/* events.c; each event has ",\n" before it. */
/* A text of any bytes as JSON, in quotes; the caller frees it. */
char *chrome_json(const char *text);
/* The arguments that a construct's slices have in common, each with a comma before it; the caller frees them. */
char *chrome_place(const struct construct *construct);
/* Names of the process and of what is in it; then its counters. */
void chrome_put_names(const struct chrome *c, struct buffer *text);
void chrome_put_counters(const struct chrome *c, struct buffer *text);
/* A block is a chunk of a stream's slices or states. */
void chrome_format_block(void *self, size_t block, struct buffer *text);
void chrome_put_queues(const struct chrome *c, struct buffer *text);

#endif
