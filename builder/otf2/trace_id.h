/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The archive's identifier, which readers show and some use as a key. Called by otf2.c when the archive is closed.
 */
#ifndef OTTER_BUILDER_OTF2_TRACE_ID_H
#define OTTER_BUILDER_OTF2_TRACE_ID_H

#include "builder/model/trace.h"

/*
 * A hash over what tells these dumps from any others: the same dumps in the same order have the same identifier in
 * every run.
 */
uint64_t trace_id_of(const struct trace *traces, size_t n_traces);

/* Gives the closed archive with this anchor file the identifier `id`. 0, or -1 after error(). */
int trace_id_set(const char *anchor, uint64_t id);

#endif
