/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a developer should look at, whatever it costs in this run: dependences and waits that order nothing, tasks that are not
 * deferred, and the like. docs/analyses.md has the rules. Each finding names the construct and how often it occurred. Searches
 * are bounded; what was not searched is reported. Made of a process's answer and of the dependences of its replay
 * (struct findings_track); used by process.c, and by the summary. The track is filled by stream; the rest runs on one thread.
 */
#ifndef OTTER_BUILDER_FINDINGS_FINDINGS_H
#define OTTER_BUILDER_FINDINGS_FINDINGS_H

#include "builder/tables/row.h"
#include "builder/answer/answer.h"
#include "builder/model/tables.h"

#define FINDING_DEPENDENCES 4000000 /* with more, none is kept */

enum lint {
	FINDING_IMPLIED,        /* dependences of `construct` on `other` that follow from others */
	FINDING_CHAINED,        /* tasks of `construct` and `other` that one variable puts into one chain */
	FINDING_LAST,           /* the last task with an inout on a variable, after which none names it */
	FINDING_WAITS_FOR_NONE, /* a taskwait, or taskgroup, without a task to wait for */
	FINDING_SYNC,           /* no task after the synchronisation depends on one before it */
	FINDING_UNDEFERRED,     /* tasks whose creator has to wait for them */
	FINDING_INLINE,         /* tasks that their creator executed at once, though they were deferred: the queue was full */
	FINDING_ONE_CREATOR,    /* one thread creates all tasks */
	FINDING_OVERSUBSCRIBED, /* a region within another one, and more threads than processors */
	FINDING_CHUNKS,         /* chunks of a loop so small that handing them out takes a large part of their time */
	LINTS
};

struct finding {
	enum lint kind;            /* these three are the key (map_put_row) */
	uint32_t construct, other; /* rows of model.constructs, 0 none */
	uint64_t count, of;        /* `count` of `of` occurrences have this problem */
	uint64_t variable;         /* FINDING_CHAINED, FINDING_LAST: address of one such variable; 0 none */
};

/* The dependences that are kept of a replay for the findings. */
struct findings_track {
	const struct model *model;
	struct findings_track_stream {
		struct findings_dependence {
			uint64_t variable;
			uint32_t task;
			uint32_t type; /* dependence_type */
		} * rows;
		size_t n, capacity;
		char apart[64]; /* so that no two streams share a cache line */
	} * streams;
	size_t n_streams;
	uint64_t n; /* of all streams; if it is above FINDING_DEPENDENCES, some are missing */
};

extern const struct replay_ops findings_track_ops;
void findings_track_begin(struct findings_track *track, const struct model *model);
void findings_track_free(struct findings_track *track);

struct findings {
	bool is_made;
	struct finding *rows; /* sorted by kind, the most frequent first */
	size_t n, capacity;
	struct map row_of;            /* while it is made: hash of a finding -> row + 1; more by probing */
	uint64_t not_searched[LINTS]; /* how many tasks (FINDING_IMPLIED) or dependences (others) were not; 1: unknown */
};

/* Finds what nodes and links alone show, after answer_begin(). To be freed. */
void findings_begin(struct findings *findings, const struct net *net);
/* After that and answer_order(): finds what creations and dependences show. */
void findings_make(struct findings *findings, const struct net *net, const struct findings_track *track);
/* After that and answer_finish(): finds the rest, and sorts the table. */
void findings_finish(struct findings *findings, const struct answer *answer);
void findings_free(struct findings *findings);

/* For tables that programs read. */
const char *findings_name(enum lint kind);

/* lint.csv, called by outputs.c. 0, or -1 with the error printed. */
int findings_csv(const struct trace *trace, const struct findings *findings, uint64_t n_constructs_before,
		 const struct table_place *place);

/* ---- Between the files of this folder ---- */

/* Adds to the finding of that kind and these constructs. */
struct finding *findings_add(struct findings *findings, enum lint kind, uint32_t construct, uint32_t other, uint64_t count,
			     uint64_t of);
/* Removes rows with count 0, and sorts the table: nothing may be added afterwards. */
void findings_sort(struct findings *findings);

void findings_implied(struct findings *findings, const struct net *net);
void findings_variables(struct findings *findings, const struct net *net, const struct findings_track *track);
void findings_waits(struct findings *findings, const struct net *net);
void findings_creation(struct findings *findings, const struct net *net);
void findings_regions(struct findings *findings, const struct net *net);

#endif
