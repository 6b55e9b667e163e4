/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass over a dump's records: fills the model's tables. Called once a process, before the replay.
 */
#ifndef OTTER_BUILDER_GATHER_GATHER_H
#define OTTER_BUILDER_GATHER_GATHER_H

#include "builder/model/tables.h"
#include "builder/gather/gather.h"

/* Fills the tables from all streams, then finds teams, marks and the orders of locks. 0, or -1 with the error said. */
int model_gather(struct model *m, const struct dump *dump);

/* Fills model.units where the dump has records of units; the last step of model_gather(). 0, or -1 with the error said. */
int gather_units(struct model *model);

#endif
