/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files that are made of the paths of creation. Called by outputs.c when all processes are built, on one thread;
 * each returns 0, or -1 with the error printed.
 */
#ifndef OTTER_BUILDER_SPAWN_FILES_H
#define OTTER_BUILDER_SPAWN_FILES_H

#include "builder/support/csv.h"
#include "builder/spawn/spawn.h"

/* DIR/spawn.csv: a row for each path. */
int spawn_csv(const struct spawn *spawn, const struct csv_place *place);

/* DIR/spawn.folded: a line for each path on which something was executed, as flame graphs are made of. */
int spawn_folded(const struct spawn *spawn, const char *dir);

/* DIR/spawn.speedscope.json: the same as a profile. `program`: its name. */
int spawn_speedscope(const struct spawn *spawn, const char *program, const char *dir);

struct json_t;

/* Rows, groups and links for the report; to be given back by json_decref(). */
struct json_t *spawn_json(const struct spawn *spawn);

#endif
