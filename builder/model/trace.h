/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process of a run, on its way through the builder: its dump, and the tables that the dump was gathered into. Owned
 * by run.c; one thread.
 */
#ifndef OTTER_BUILDER_MODEL_TRACE_H
#define OTTER_BUILDER_MODEL_TRACE_H

#include "builder/model/tables.h"

struct trace {
	struct dump dump;
	struct model model;
	uint32_t process; /* number in the run, from 0 */
};

#endif
