/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a paradigm beside OpenMP adds to each stage of the builder. All code of a paradigm is in one folder, above the
 * stages; these call its hooks, and never its functions by name. docs/design.md ("Paradigms") says how to add one.
 *
 * Any hook may be NULL. Hooks that take a record or an event are called only in processes that have records of the
 * paradigm (replay_begin), or on nodes, threads and items that belong to its units: they cost other processes nothing.
 *
 * A paradigm may have tasks of its own, which the stages call units: rows of model.units, filled by its `gather`. At most
 * one paradigm of a process has units; model.tasking is that paradigm, NULL without units. Only that paradigm's hooks
 * below "Units" are called.
 */
#ifndef OTTER_BUILDER_MODEL_PARADIGM_H
#define OTTER_BUILDER_MODEL_PARADIGM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum paradigm_number {
#define PARADIGM_ROW(name) PARADIGM_##name,
#include "builder/model/paradigms.def"
#undef PARADIGM_ROW
	N_PARADIGMS
};

struct answer;
struct causes;
struct json_t;
struct model;
struct net;
struct record;
struct replay;
struct replay_ops;
struct stream_state;
struct trace;
struct track;
struct gather_stream;

/* A visitor of the replay that takes events of the paradigm, too: `own` is the paradigm's own struct of functions for these. */
struct paradigm_visitor {
	const struct replay_ops *ops;
	const void *own;
};

/* What sentences for people call the threads and tasks of a paradigm. */
struct nouns {
	bool is_own; /* not OpenMP's */
	const char *thread, *a_thread, *threads;
	const char *tasks;
};

struct paradigm {
	const char *name;

	/* ---- Gather ---- */

	/*
	 * Do records of this kind become rows of the paradigm's tables in the order of streams? Where a dump has some, its
	 * streams are walked one after the other (builder/gather/stream.h), on one thread, and then the next hooks are called.
	 */
	bool (*gathers)(unsigned kind);
	/* Before the first stream. Returns `self`; then all hooks up to gather_end must be set, except perhaps gather_task_end. */
	void *(*gather_begin)(struct model *model);
	void (*gather_stream)(void *self, struct gather_stream *stream);
	/* A record or a continuation that OpenMP's tables do not need, after the thread's state machine has taken it. */
	void (*gather_record)(void *self, const struct record *record);
	void (*gather_task_end)(void *self, uint32_t task);
	/* After the last stream: completes the tables, and frees `self`. Tasks and regions are complete, teams are not. */
	void (*gather_end)(void *self);
	/*
	 * The last step of model_gather(), on one thread: fills the paradigm's tables, in a pass of its own over the records
	 * if it needs one. The tables of OpenMP are complete. 0, or -1 after an error message.
	 */
	int (*gather)(struct model *model);

	/* ---- Replay: see builder/replay/state.h; all on one thread if replays_in_order, else on that of the stream ---- */

	/* Do the records of all streams have to come in the order of time in this process? */
	bool (*replays_in_order)(const struct model *model);
	/* Before the first record. Returns `self` for the hooks below; or NULL: the process has no records of the paradigm. */
	void *(*replay_begin)(struct replay *replay);
	/*
	 * Any record, already taken from the stream's timeline. 0: it was the paradigm's alone; 1: the stages take it, too; -1
	 * after an error message.
	 */
	int (*replay_record)(void *self, struct stream_state *stream, const struct record *record);
	/*
	 * A record or continuation that OpenMP's replay has no use for, after the thread's state machine has taken it. 0; 1: it is
	 * not the paradigm's; -1 after an error message.
	 */
	int (*replay_other)(void *self, struct stream_state *stream, const struct record *record);
	/* With replays_in_order: has something not happened yet that must come before this record (merge.h)? */
	bool (*replay_is_early)(void *self, uint32_t stream, const struct record *record);
	/* Records of the stream are missing before its next one. 0, or -1. */
	int (*replay_gap)(void *self, struct stream_state *stream);
	/* After the last record of all streams, before OpenMP's open scopes are closed. 0, or -1. */
	int (*replay_finish)(void *self);
	/* At the end, also after an error: frees `self`. */
	void (*replay_end)(void *self);
	/* What the visitors of the stages do at the paradigm's events; the replay of the paradigm calls it (replay_own_ops()). */
	const struct paradigm_visitor *visitors;
	size_t n_visitors;

	/* ---- Stages: what they call for the paradigm's scopes, and for its units ---- */

	const struct graph_hooks *graph;     /* builder/graph/graph.h */
	const struct archive_hooks *archive; /* builder/otf2/archive.h */

	/* ---- Summary ---- */

	const struct summary_hooks *summary; /* builder/summary/summary.h */

	/* ---- Other outputs ---- */

	/* Names, for a message, what --from and --to cannot cut in this process; NULL: nothing. */
	const char *(*uncut)(const struct model *model);
	/* Adds what the page shows of the paradigm to the data of a process, one of n_processes. */
	void (*report)(struct json_t *process, const struct trace *trace, const struct answer *answer, size_t n_processes);

	/* ---- Units: the nouns, and hooks. Each struct is in its stage's header, which says when and on which threads its functions are called ---- */

	const struct canonical_unit_hooks *canonical; /* builder/graph/canonical.h */
	const struct states_unit_hooks *states;       /* builder/states/thread.h */
	const struct slices_unit_hooks *slices;       /* builder/slices/slices.h */
	const struct sweep_unit_hooks *sweep;         /* builder/analysis/thread_sweep.h */
	/*
	 * Adds to `waits` the causes of the units' waits, and to the places of `track` their lengths. On one thread, after the
	 * account of the answer.
	 */
	void (*find_waits)(struct causes *waits, struct track *track, const struct net *net);
	/* The paradigm's own words, where the process has nothing else whose threads and tasks these could be; else NULL. */
	const struct nouns *(*nouns)(const struct model *model);
};

/* paradigm.c: the words for a process's threads and tasks, which are OpenMP's but where its paradigm has its own alone. */
const struct nouns *model_nouns(const struct model *model);

/* By enum paradigm_number. Defined in builder/run/paradigms.c, as the paradigms are above all that call their hooks. */
extern const struct paradigm *const paradigms[N_PARADIGMS];

#endif
