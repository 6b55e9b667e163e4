/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which thread state belongs to a kind of synchronisation, mutex or target construct. Used by states.c; any thread.
 */
#ifndef OTTER_BUILDER_STATES_KINDS_H
#define OTTER_BUILDER_STATES_KINDS_H

#include "builder/model/state.h"
#include "builder/replay/replay.h"

/* What lies after the last kind, or between two, is of an unknown kind. */
static inline enum state state_of_sync(unsigned kind)
{
	static const uint8_t states[] = {[sync_kind_barrier_implicit] = STATE_WAIT_BARRIER_IMPLICIT,
					 [sync_kind_barrier_explicit] = STATE_WAIT_BARRIER_EXPLICIT,
					 [sync_kind_barrier_implementation] = STATE_WAIT_BARRIER_IMPLEMENTATION,
					 [sync_kind_barrier_implicit_workshare] = STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE,
					 [sync_kind_barrier_implicit_parallel] = STATE_WAIT_BARRIER_IMPLICIT_PARALLEL,
					 [sync_kind_barrier_teams] = STATE_WAIT_BARRIER_TEAMS,
					 [sync_kind_taskwait] = STATE_WAIT_TASKWAIT,
					 [sync_kind_taskgroup] = STATE_WAIT_TASKGROUP};
	return kind < sizeof states && states[kind] != 0 ? states[kind] : STATE_WAIT_BARRIER;
}

/* The state of a thread that waits for a mutex of this kind (mutex_kind). */
static inline enum state state_of_mutex(unsigned kind)
{
	static const uint8_t states[] = {[mutex_kind_lock] = STATE_WAIT_LOCK,         [mutex_kind_test_lock] = STATE_WAIT_LOCK,
					 [mutex_kind_nest_lock] = STATE_WAIT_LOCK,    [mutex_kind_test_nest_lock] = STATE_WAIT_LOCK,
					 [mutex_kind_critical] = STATE_WAIT_CRITICAL, [mutex_kind_atomic] = STATE_WAIT_ATOMIC,
					 [mutex_kind_ordered] = STATE_WAIT_ORDERED};
	return kind < sizeof states && states[kind] != 0 ? states[kind] : STATE_WAIT_MUTEX;
}

static inline enum state state_of_target(unsigned kind)
{
	switch (kind) {
	case target_kind_enter_data:
	case target_kind_enter_data_nowait:
	case target_kind_exit_data:
	case target_kind_exit_data_nowait: return STATE_WAIT_TARGET_MAP;
	case target_kind_update:
	case target_kind_update_nowait: return STATE_WAIT_TARGET_UPDATE;
	default: return STATE_WAIT_TARGET;
	}
}

/*
 * The state of a task in a scope; STATE_NONE: the scope does not change it. A taskgroup waits only at its end, where it has
 * a scope for that (SCOPE_SYNC_WAIT).
 */
static inline enum state state_of_scope(const struct scope *scope)
{
	switch (scope->type) {
	case SCOPE_SYNC: return scope->kind != sync_kind_taskgroup ? state_of_sync(scope->kind) : STATE_NONE;
	case SCOPE_SYNC_WAIT: return state_of_sync(scope->kind);
	case SCOPE_REDUCTION: return STATE_WORK_REDUCTION;
	case SCOPE_MUTEX: return state_of_mutex(scope->kind);
	case SCOPE_TARGET: return state_of_target(scope->kind);
	case SCOPE_DATA_OP: return STATE_WAIT_TARGET_MAP;
	default: return STATE_NONE;
	}
}

#endif
