/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The OTF2 archive: one for all processes of a run, one location group a process, one location a stream. docs/design.md tells
 * which record becomes which event, and why.
 */
#ifndef OTTER_BUILDER_OTF2_OTF2_H
#define OTTER_BUILDER_OTF2_OTF2_H

#include "builder/replay/sink.h"

/*
 * Opens the archive DIR/traces.otf2 and fills in the sink. Of every trace the dump must be open; its model need only live from
 * sink.begin to sink.end, and its construct labels must be resolved by then. The archive is whole once sink.close has returned 0;
 * sink.close must be called in any case, it frees everything. 0, or -1 with the error said (nothing to close then).
 */
int sink_otf2_open(struct sink *sink, const char *dir, const struct trace *traces, size_t n_traces);

#endif
