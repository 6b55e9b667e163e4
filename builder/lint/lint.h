/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer should look at, whatever it costs in this run: dependences and waits that order nothing, tasks that are not
 * deferred, and the like. docs/analyses.md has the rules. Each finding names the construct and how often it was so. Searches
 * are bounded; what was not searched is named. Made of a process's answer and of the dependences that the replay told
 * (struct lint_track); used by process.c, and by the summary. The track: by streams; the rest on one thread.
 */
#ifndef OTTER_BUILDER_LINT_LINT_H
#define OTTER_BUILDER_LINT_LINT_H

#include "builder/support/csv.h"
#include "builder/answer/answer.h"
#include "builder/model/trace.h"

#define LINT_DEPENDENCES 4000000 /* with more, none is kept */

enum lint {
	LINT_IMPLIED,        /* dependences of `construct` on `other` that follow from others */
	LINT_CHAINED,        /* tasks of `construct` and `other` that one variable puts into one chain */
	LINT_LAST,           /* the last task with an inout on a variable, after which none names it */
	LINT_WAITS_FOR_NONE, /* a taskwait, or taskgroup, without a task to wait for */
	LINT_SYNC,           /* no task after the synchronisation depends on one before it */
	LINT_UNDEFERRED,     /* tasks whose creator has to wait for them */
	LINT_INLINE,         /* tasks that their creator executed at once, though they were deferred: the queue was full */
	LINT_ONE_CREATOR,    /* all tasks are created by one thread */
	LINT_OVERSUBSCRIBED, /* a region within another one, and more threads than processors */
	LINT_CHUNKS,         /* chunks of a loop that execute for so little time that handing them out is a large part of it */
	LINTS
};

struct finding {
	enum lint kind;
	uint32_t construct, other; /* rows of model.constructs, 0 none */
	uint64_t count, of;        /* so many of so many */
	uint64_t variable;         /* LINT_CHAINED, LINT_LAST: one that it is so with, the address; 0 none */
};

/* What of a replay is kept for it. */
struct lint_track {
	const struct model *model;
	struct lint_stream {
		struct lint_dependence {
			uint64_t variable;
			uint32_t task;
			uint32_t type; /* dependence_type */
		} * rows;
		size_t n, capacity;
		char apart[64]; /* so that no two streams share a cache line */
	} * streams;
	size_t n_streams;
	uint64_t n; /* of all streams; above LINT_DEPENDENCES they are not all there */
};

extern const struct replay_ops lint_ops;
void lint_track_begin(struct lint_track *track, const struct model *model);
void lint_track_free(struct lint_track *track);

struct findings {
	bool is_made;
	struct finding *rows; /* by kind, and the most frequent first */
	size_t n, capacity;
	struct map row_of;            /* while it is made: hash of a finding -> row + 1; more by probing */
	uint64_t not_searched[LINTS]; /* so many: tasks of LINT_IMPLIED, dependences of others; 1: it is not known */
};

/* What nodes and links alone show, after answer_begin(). To be freed. */
void lint_begin(struct findings *findings, const struct net *net);
/* After that and answer_order(): what creations and dependences show. */
void lint_make(struct findings *findings, const struct net *net, const struct lint_track *track);
/* After that and answer_finish(): the rest, and the order. */
void lint_finish(struct findings *findings, const struct answer *answer);
void lint_free(struct findings *findings);

/* For programs. */
const char *lint_name(enum lint kind);

/* lint.csv, called by outputs.c. 0, or -1 with the error printed. */
int lint_csv(const struct trace *trace, const struct findings *findings, uint64_t n_constructs_before,
	     const struct csv_place *place);

/* ---- Between the files of this folder ---- */

/* Adds to the finding of that kind and these constructs. */
struct finding *lint_add(struct findings *findings, enum lint kind, uint32_t construct, uint32_t other, uint64_t count,
			 uint64_t of);

void lint_implied(struct findings *findings, const struct net *net);
void lint_variables(struct findings *findings, const struct net *net, const struct lint_track *track);
void lint_waits(struct findings *findings, const struct net *net);
void lint_creation(struct findings *findings, const struct net *net);
void lint_regions(struct findings *findings, const struct net *net);
void lint_chunks(struct findings *findings, const struct answer *answer);

#endif
