/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 archive: one for all processes of a run, with a location group for each process and a location for each
 * stream. docs/design.md, section 6, says which events become what. Called by run.c. One thread.
 */
#ifndef OTTER_BUILDER_OTF2_OTF2_H
#define OTTER_BUILDER_OTF2_OTF2_H

#include "builder/replay/sink.h"

/*
 * Opens the archive DIR/traces.otf2 and fills in the sink. The dump of every trace must be open; its model need only
 * live from sink.begin to sink.end, and its constructs must have been looked up by sink.end. The archive is whole when
 * sink.close has returned 0; sink.close must be called in any case, because it frees everything. 0, or -1 after
 * error(): then there is nothing to close. is_part: models will have a window (--from, --to), outside of which nothing is
 * written.
 */
int sink_otf2_open(struct sink *sink, const char *dir, const struct trace *traces, size_t n_traces, bool is_part);

#endif
