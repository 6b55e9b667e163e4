/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Constructs: the places in the source that tasks, regions, synchronisations and the like come from. They are the rows
 * of model.constructs, each (kind, code address) once; row 0 is the unknown construct. Gather and the state machine of
 * units add them as records name them: on one thread, or first in a table for each stream (gather/constructs.c). symbols.c
 * names them at the end.
 */
#ifndef OTTER_BUILDER_MODEL_CONSTRUCT_H
#define OTTER_BUILDER_MODEL_CONSTRUCT_H

#include "common/event.h"

#include <stdbool.h>
#include <stdint.h>

struct model;

/* What kind of construct a place in the source is. */
enum construct_kind {
	CONSTRUCT_UNKNOWN,
	CONSTRUCT_INITIAL,
	CONSTRUCT_PARALLEL,
	CONSTRUCT_TEAMS,
	CONSTRUCT_TASK,
	CONSTRUCT_TARGET,
	CONSTRUCT_TASKWAIT,
	CONSTRUCT_TASKGROUP,
	CONSTRUCT_BARRIER,
	CONSTRUCT_REDUCTION,
	CONSTRUCT_LOOP,
	CONSTRUCT_SECTIONS,
	CONSTRUCT_SINGLE,
	CONSTRUCT_WORKSHARE,
	CONSTRUCT_DISTRIBUTE,
	CONSTRUCT_TASKLOOP,
	CONSTRUCT_SCOPE,
	CONSTRUCT_MASKED,
	CONSTRUCT_CRITICAL,
	CONSTRUCT_ORDERED,
	CONSTRUCT_ATOMIC,
	CONSTRUCT_LOCK,
	CONSTRUCT_FLUSH,
	CONSTRUCT_TARGET_ENTER_DATA,
	CONSTRUCT_TARGET_EXIT_DATA,
	CONSTRUCT_TARGET_UPDATE,
	CONSTRUCT_SUBMIT,
	CONSTRUCT_KERNEL,
	CONSTRUCT_UNIT, /* Argobots' from here to CONSTRUCT_EXTERNAL; codeptr is the work function, not a return address */
	CONSTRUCT_TASKLET,
	CONSTRUCT_SCHEDULER,
	CONSTRUCT_PRIMARY_UNIT,
	CONSTRUCT_EXTERNAL,
	CONSTRUCT_TASKLOOP_SPLIT, /* the tasks by which a runtime splits a taskloop (Q44) */
	CONSTRUCT_DATA_UNKNOWN,
	CONSTRUCT_DATA_ALLOC, /* from here on in the order of target_data_op */
	CONSTRUCT_DATA_TO_DEVICE,
	CONSTRUCT_DATA_FROM_DEVICE,
	CONSTRUCT_DATA_DELETE,
	CONSTRUCT_DATA_ASSOCIATE,
	CONSTRUCT_DATA_DISASSOCIATE,
	CONSTRUCT_DATA_TRANSFER,
	CONSTRUCT_DATA_MEMSET,
	CONSTRUCT_DATA_RECT,
	CONSTRUCT_KINDS
};

/* A place in the source where tasks, regions, synchronisations and the like come from. */
struct construct {
	uint64_t codeptr; /* return address, 0 unknown */
	enum construct_kind kind;
	/* Set by symbols.c; strings live as long as the model; "" unknown. */
	const char *label; /* for people to read: "task@fib.c:12", or "task@fib+0x1234" (symbols.h) */
	const char *file;  /* whole path */
	const char *function;
	unsigned line;
};

/*
 * The row of the construct (kind, codeptr), which is added if it is new. An address inside the OpenMP runtime counts as
 * unknown (Q9): it says nothing about the program, and differs between teams of one thread and of many.
 */
uint32_t model_construct(struct model *m, enum construct_kind kind, uint64_t codeptr);

/*
 * The same when the tables are complete: adds nothing. If no record of the first pass named the construct, this is the
 * construct of that kind without an address, or row 0.
 */
uint32_t model_find_construct(const struct model *m, enum construct_kind kind, uint64_t codeptr);

/* Does the address lie in the OpenMP runtime's own code? Then model_construct() takes it for unknown. */
bool model_is_in_runtime(const struct model *m, uint64_t codeptr);

/* The kind of construct that a record's kind of synchronisation, worksharing, mutex or target operation belongs to. */
static inline enum construct_kind construct_of_sync(unsigned sync_kind)
{
	switch (sync_kind) {
	case sync_kind_taskwait: return CONSTRUCT_TASKWAIT;
	case sync_kind_taskgroup: return CONSTRUCT_TASKGROUP;
	case sync_kind_reduction: return CONSTRUCT_REDUCTION;
	default: return CONSTRUCT_BARRIER;
	}
}

static inline enum construct_kind construct_of_work(unsigned work_kind)
{
	switch (work_kind) {
	case work_kind_sections: return CONSTRUCT_SECTIONS;
	case work_kind_single_executor:
	case work_kind_single_other: return CONSTRUCT_SINGLE;
	case work_kind_workshare: return CONSTRUCT_WORKSHARE;
	case work_kind_distribute: return CONSTRUCT_DISTRIBUTE;
	case work_kind_taskloop: return CONSTRUCT_TASKLOOP;
	case work_kind_scope: return CONSTRUCT_SCOPE;
	default: return CONSTRUCT_LOOP;
	}
}

static inline enum construct_kind construct_of_mutex(unsigned mutex_kind)
{
	switch (mutex_kind) {
	case mutex_kind_critical: return CONSTRUCT_CRITICAL;
	case mutex_kind_ordered: return CONSTRUCT_ORDERED;
	case mutex_kind_atomic: return CONSTRUCT_ATOMIC;
	default: return CONSTRUCT_LOCK;
	}
}

enum construct_kind construct_of_target(unsigned target_kind);
enum construct_kind construct_of_data(unsigned target_data_op); /* without _async */

/* Is it a barrier of any kind? */
static inline bool sync_is_barrier(unsigned sync_kind)
{
	return sync_kind != sync_kind_taskwait && sync_kind != sync_kind_taskgroup && sync_kind != sync_kind_reduction;
}

/* Is it one of Argobots'? */
static inline bool construct_is_of_units(enum construct_kind kind)
{
	return kind >= CONSTRUCT_UNIT && kind <= CONSTRUCT_EXTERNAL;
}

/* Is it a worksharing region? A scope region is not: barriers and worksharing regions may be nested inside it. */
static inline bool work_is_sharing(unsigned work_kind)
{
	return work_kind != work_kind_taskloop && work_kind != work_kind_distribute && work_kind != work_kind_scope;
}

/* The word of a construct kind: "task", "parallel", "taskwait", ... */
const char *construct_kind_name(enum construct_kind kind);

/*
 * By construct: the first one of the same kind, file, line and function, such as another copy of the code, or another call
 * in the same line. When constructs have their lines; to be freed.
 */
uint32_t *model_same_constructs(const struct model *m);

/* Make the table with row 0, and free it. */
void model_constructs_begin(struct model *m);
void model_constructs_end(struct model *m);

#endif
