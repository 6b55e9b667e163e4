/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: the hooks of struct paradigm (model/paradigm.h), by the file of this folder that has them. devices.c makes the
 * paradigm of them.
 */
#ifndef OTTER_BUILDER_DEVICES_DEVICES_H
#define OTTER_BUILDER_DEVICES_DEVICES_H

#include "builder/model/paradigm.h"

/* ---- gather.c ---- */

bool devices_gathers(unsigned kind);
void *devices_gather_begin(struct model *m);
void devices_gather_stream(void *self, struct gather_stream *stream);
void devices_gather_record(void *self, const struct record *record);
void devices_gather_task_end(void *self, uint32_t task);
void devices_gather_end(void *self);

/* ---- replay.c ---- */

void *devices_replay_begin(struct replay *replay);
int devices_replay_other(void *self, struct stream_state *stream, const struct record *record);

/* ---- What stages and outputs call: graph.c, archive_defs.c, summary.c, report.c ---- */

extern const struct graph_hooks devices_graph;
extern const struct archive_hooks devices_archive;
extern const struct summary_hooks devices_summary;
const char *devices_uncut(const struct model *model);
void devices_report(struct json_t *process, const struct trace *trace, const struct answer *answer, size_t n_processes);

#endif
