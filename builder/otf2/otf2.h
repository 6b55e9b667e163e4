/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 archive: one for all processes of a run, with a location group for each process and a location for each
 * stream. docs/archive.md says which events become what. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_OTF2_H
#define OTTER_BUILDER_OTF2_OTF2_H

#include "builder/replay/sink.h"
#include "builder/otf2/archive.h"

/*
 * Opens the archive DIR/traces.otf2 and fills in the sink. The dump of every trace must be open; its model need only
 * live from sink.begin to sink.end, and its constructs must have been looked up by sink.end. The archive is whole when
 * sink.close has returned 0; sink.close must be called in any case, because it frees everything. 0, or -1 after
 * error(): then there is nothing to close. is_part: models will have a window (--from, --to), outside of which nothing is
 * written. has_states: thread states become a metric.
 */
int sink_otf2_open(struct sink *sink, const char *dir, const struct trace *traces, size_t n_traces, bool is_part, bool has_states);

/* ---- Library ---- */

/*
 * How the archive uses OTF2: how much memory the library may take and how many files it may open. Called by otf2.c.
 */

/* Creates the archive's files in the directory. 0, or -1 after error(): then there is nothing to close. */
int library_open(struct archive *a, const char *dir);

/* Frees what library_open() and the writers left, once the library has closed the archive, or could not open it. */
void library_free(struct archive *a);

#endif
