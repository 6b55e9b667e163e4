/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass over a dump's records: fills the model's tables. Called once a process, before the replay.
 */
#ifndef OTTER_BUILDER_GATHER_GATHER_H
#define OTTER_BUILDER_GATHER_GATHER_H

#include "builder/model/tables.h"
#include "builder/gather/gather.h"

/*
 * Fills the tables from all streams, then finds teams, marks and, if has_lock_orders, the orders of locks: 28 bytes an
 * acquisition, which only an archive needs. 0, or -1 after it printed the error.
 */
int model_gather(struct model *m, const struct dump *dump, bool has_lock_orders);

/*
 * Fills model.units where the dump has records of units; the last step of model_gather(). 0, or -1 with the error said.
 */
int gather_units(struct model *model);

#endif
