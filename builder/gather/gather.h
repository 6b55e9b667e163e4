/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first pass over a dump's records: fills the model's tables. Called once a process, before the replay.
 */
#ifndef OTTER_BUILDER_GATHER_GATHER_H
#define OTTER_BUILDER_GATHER_GATHER_H

#include "builder/model/tables.h"

/*
 * Fills the tables from all streams. Then finds the teams, the tasks that an archive has to treat with care, and, if
 * has_lock_orders is set, the orders of locks, which only an archive needs (4 bytes for each acquisition). 0, or -1
 * after it printed the error.
 */
int model_gather(struct model *m, const struct dump *dump, bool has_lock_orders);

#endif
