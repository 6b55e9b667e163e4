/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of stages (stages.def). A set of stages is a bit mask of NEEDS_ constants.
 */
#ifndef OTTER_BUILDER_RUN_STAGES_H
#define OTTER_BUILDER_RUN_STAGES_H

#include "builder/replay/replay.h"

#include <stdbool.h>

struct job;
struct slots;

enum stage_number {
#define STAGE(name, ...) STAGE_##name,
#define PART(name, ...)  STAGE_##name,
#include "builder/run/stages.def"
#undef STAGE
#undef PART
	N_STAGES
};

enum stage_need {
#define STAGE(name, ...) NEEDS_##name = 1 << STAGE_##name,
#define PART(name, ...)  NEEDS_##name = 1 << STAGE_##name,
#include "builder/run/stages.def"
#undef STAGE
#undef PART
};

/* A row of stages.def, which says what its functions do. All functions but `visitor` may be NULL. */
struct stage {
	const char *name;
	unsigned needs;
	int (*make)(struct job *job);
	struct visitor (*visitor)(struct slots *now); /* self is NULL: it does not visit the replay; NULL: it never does */
	int (*finish)(struct job *job);
	void (*free)(struct job *job);
};

extern const struct stage stages[N_STAGES];

/* These stages with all that they need. */
unsigned stages_needed(unsigned needs);

/*
 * Each walks those of the n stages whose bits are set in `needs`: stages_make and stages_finish upwards, until one
 * fails, and stages_free downwards. stages_make also appends the visitors, of which there are n at most. 0; or -1
 * after the error is printed.
 */
int stages_make(const struct stage *rows, unsigned n, unsigned needs, struct job *job);
int stages_finish(const struct stage *rows, unsigned n, unsigned needs, struct job *job);
void stages_free(const struct stage *rows, unsigned n, unsigned needs, struct job *job);

#endif
