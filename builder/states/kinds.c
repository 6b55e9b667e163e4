/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which thread state belongs to a kind of synchronisation, mutex or target construct; and sums of times in states. No
 * state is kept; any thread.
 */
#include "builder/states/states.h"

uint64_t state_times_total(const struct state_times *times)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < STATES; i++)
		total += times->ticks[i];
	return total;
}

void state_times_ns(const struct dump *dump, const struct state_times *times, uint64_t ns[STATES])
{
	uint64_t ticks = 0, so_far_ns = 0;
	for (unsigned i = 0; i < STATES; i++) {
		ticks += times->ticks[i];
		uint64_t until_ns = dump_duration_ns(dump, ticks);
		ns[i] = until_ns - so_far_ns;
		so_far_ns = until_ns;
	}
}

static enum state sync_state(unsigned kind)
{
	switch (kind) {
	case sync_kind_barrier_implicit: return STATE_WAIT_BARRIER_IMPLICIT;
	case sync_kind_barrier_explicit: return STATE_WAIT_BARRIER_EXPLICIT;
	case sync_kind_barrier_implementation: return STATE_WAIT_BARRIER_IMPLEMENTATION;
	case sync_kind_barrier_implicit_workshare: return STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE;
	case sync_kind_barrier_implicit_parallel: return STATE_WAIT_BARRIER_IMPLICIT_PARALLEL;
	case sync_kind_barrier_teams: return STATE_WAIT_BARRIER_TEAMS;
	case sync_kind_taskwait: return STATE_WAIT_TASKWAIT;
	case sync_kind_taskgroup: return STATE_WAIT_TASKGROUP;
	default: return STATE_WAIT_BARRIER;
	}
}

enum state state_of_mutex(unsigned kind)
{
	switch (kind) {
	case mutex_kind_lock:
	case mutex_kind_test_lock:
	case mutex_kind_nest_lock:
	case mutex_kind_test_nest_lock: return STATE_WAIT_LOCK;
	case mutex_kind_critical: return STATE_WAIT_CRITICAL;
	case mutex_kind_atomic: return STATE_WAIT_ATOMIC;
	case mutex_kind_ordered: return STATE_WAIT_ORDERED;
	default: return STATE_WAIT_MUTEX;
	}
}

static enum state target_state(unsigned kind)
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

/* A taskgroup waits only at its end, where it has a scope for that (SCOPE_SYNC_WAIT). */
enum state state_of_scope(const struct scope *scope)
{
	switch (scope->type) {
	case SCOPE_SYNC: return scope->kind != sync_kind_taskgroup ? sync_state(scope->kind) : STATE_NONE;
	case SCOPE_SYNC_WAIT: return sync_state(scope->kind);
	case SCOPE_REDUCTION: return STATE_WORK_REDUCTION;
	case SCOPE_MUTEX: return state_of_mutex(scope->kind);
	case SCOPE_TARGET: return target_state(scope->kind);
	case SCOPE_DATA_OP: return STATE_WAIT_TARGET_MAP;
	default: return STATE_NONE;
	}
}
