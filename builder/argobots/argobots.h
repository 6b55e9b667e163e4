/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Argobots: the hooks of struct paradigm (model/paradigm.h), by the file of this folder that has them. argobots.c makes the
 * paradigm of them.
 */
#ifndef OTTER_BUILDER_ARGOBOTS_ARGOBOTS_H
#define OTTER_BUILDER_ARGOBOTS_ARGOBOTS_H

#include "builder/argobots/events.h"

/* ---- gather.c ---- */

int argobots_gather(struct model *model);

/* ---- replay.c ---- */

const char *argobots_uncut(const struct model *model);
bool argobots_replays_in_order(const struct model *model);
void *argobots_replay_begin(struct replay *replay);
int argobots_replay_record(void *self, struct stream_state *stream, const struct record *record);
bool argobots_replay_is_early(void *self, uint32_t stream, const struct record *record);
int argobots_replay_gap(void *self, struct stream_state *stream);
int argobots_replay_finish(void *self);
void argobots_replay_end(void *self);

/* ---- What visitors do at events of units: graph.c, states.c, archive.c, slices.c ---- */

extern const struct unit_ops argobots_graph_ops, argobots_states_ops, argobots_archive_ops, argobots_slices_ops;

/* ---- What the stages call for units: graph.c, canonical.c, states.c, archive.c, slices.c, summary.c, waits.c ---- */

extern const struct graph_hooks argobots_graph;
extern const struct canonical_unit_hooks argobots_canonical;
extern const struct states_unit_hooks argobots_states;
extern const struct archive_hooks argobots_archive;
extern const struct slices_unit_hooks argobots_slices;
extern const struct summary_hooks argobots_summary;
extern const struct sweep_unit_hooks argobots_sweep;
void argobots_find_waits(struct causes *waits, struct track *track, const struct net *net);

/* ---- units_csv.c: an output (run/outputs.def) ---- */

struct graphs;
struct table_place;

/* DIR/units.csv: a row for each run of a unit of Argobots, and for each unit that acts without having been created. */
int units_csv(const struct graphs *graphs, const struct table_place *place);
/* Are there any units? */
bool has_units(const struct graphs *graphs);

#endif
