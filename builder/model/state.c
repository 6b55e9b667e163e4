/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of thread states: OMPT's number for each.
 */
#include "builder/model/state.h"
#include "common/event.h"

static const unsigned short numbers[STATES] = {
	[STATE_WORK_SERIAL] = thread_state_work_serial,
	[STATE_WORK_PARALLEL] = thread_state_work_parallel,
	[STATE_WORK_REDUCTION] = thread_state_work_reduction,
	[STATE_WAIT_BARRIER] = thread_state_wait_barrier,
	[STATE_WAIT_BARRIER_IMPLICIT_PARALLEL] = thread_state_wait_barrier_implicit_parallel,
	[STATE_WAIT_BARRIER_IMPLICIT_WORKSHARE] = thread_state_wait_barrier_implicit_workshare,
	[STATE_WAIT_BARRIER_IMPLICIT] = thread_state_wait_barrier_implicit,
	[STATE_WAIT_BARRIER_EXPLICIT] = thread_state_wait_barrier_explicit,
	[STATE_WAIT_BARRIER_IMPLEMENTATION] = thread_state_wait_barrier_implementation,
	[STATE_WAIT_BARRIER_TEAMS] = thread_state_wait_barrier_teams,
	[STATE_WAIT_TASKWAIT] = thread_state_wait_taskwait,
	[STATE_WAIT_TASKGROUP] = thread_state_wait_taskgroup,
	[STATE_WAIT_MUTEX] = thread_state_wait_mutex,
	[STATE_WAIT_LOCK] = thread_state_wait_lock,
	[STATE_WAIT_CRITICAL] = thread_state_wait_critical,
	[STATE_WAIT_ATOMIC] = thread_state_wait_atomic,
	[STATE_WAIT_ORDERED] = thread_state_wait_ordered,
	[STATE_WAIT_TARGET] = thread_state_wait_target,
	[STATE_WAIT_TARGET_MAP] = thread_state_wait_target_map,
	[STATE_WAIT_TARGET_UPDATE] = thread_state_wait_target_update,
	[STATE_IDLE] = thread_state_idle,
	[STATE_OVERHEAD] = thread_state_overhead,
	[STATE_UNDEFINED] = thread_state_undefined,
	[STATE_PREEMPTED] = thread_state_preempted,
	[STATE_BLOCKED] = thread_state_blocked,
};

unsigned state_number(enum state state)
{
	return state < STATES ? numbers[state] : thread_state_undefined;
}

const char *state_name(enum state state)
{
	return event_enum_name("thread_state", state_number(state));
}
