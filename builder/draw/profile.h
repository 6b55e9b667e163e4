/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What threads did over time, in as many steps as a picture for print has columns; kept of all processes until these are
 * drawn on one axis. Threads that are too many for a row each are added up by process, processes that are too many by
 * neighbours. A user of the windows (builder/states/windows.h); drawn by svg_timeline.c and svg_parallelism.c.
 */
#ifndef OTTER_BUILDER_DRAW_PROFILE_H
#define OTTER_BUILDER_DRAW_PROFILE_H

#include "builder/graph/files.h"
#include "builder/draw/svg.h"
#include "builder/states/states.h"

#define ROWS_MAX 64

struct profile {
	struct picture_place place;
	char *title; /* of both pictures */
	const struct graphs *graphs;
	const struct states *states; /* one a trace */
	int64_t width;               /* of the pictures */
	size_t n_columns;
	size_t n_rows;
	bool is_folded; /* rows are processes */
	struct profile_row {
		char *name;
		uint64_t *ns; /* by column and shade */
		uint64_t total_ns[SHADES];
	} * rows;
	uint64_t *ready_ns; /* by column: of all tasks together */
	uint64_t length_ns; /* of the axis */
	uint64_t n_threads;
	bool is_from_begins; /* each process is drawn from its own begin */
	struct profile_process {
		uint64_t start_ns;          /* by the clock of all */
		uint64_t first_ns, last_ns; /* since then: of its windows */
		size_t n_windows, n_streams, first_row;
		uint64_t *ns;       /* by row of the process, window and shade */
		uint64_t *ready_ns; /* by window */
		size_t n_rows;
	} * processes;
	uint64_t *ticks; /* of the current process: by row, window and shade */
	uint64_t *ready_ticks;
	size_t n_windows;
};

int svg_timeline(const struct profile *profile);
int svg_parallelism(const struct profile *profile);

#endif
