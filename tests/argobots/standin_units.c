/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work units, as a program sees them.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>

struct unit *unit_new(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes)
{
	struct unit *unit = calloc(1, sizeof *unit);
	*unit = (struct unit){.depth = 1,
			      .function = function,
			      .argument = argument,
			      .pool = pool,
			      .stack_bytes = stack_bytes,
			      .is_tasklet = !stack_bytes};
	return unit;
}

int unit_create(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes, struct unit **handle)
{
	struct unit *unit = unit_new(pool, function, argument, stack_bytes);
	unit->is_named = handle != NULL;
	if (handle)
		*handle = unit;
	if (stack_bytes)
		unit_make_stack(unit, unit_start);
	report(CREATE, unit, here(), (struct context){.pool = pool, .caller = unit_self()});
	unit_push(unit);
	return ABT_SUCCESS;
}

int ABT_thread_create(struct pool *pool, void (*function)(void *), void *argument, void *attributes, struct unit **handle)
{
	(void)attributes;
	return unit_create(pool, function, argument, STACK_BYTES, handle);
}

int ABT_task_create(struct pool *pool, void (*function)(void *), void *argument, struct unit **handle)
{
	return unit_create(pool, function, argument, 0, handle);
}

static bool has_ended(struct unit *unit)
{
	return __atomic_load_n(&unit->state, __ATOMIC_ACQUIRE) == TERMINATED;
}

/* Waits in the way that is possible: an external thread spins, a unit blocks, but polls for a tasklet and where it is not the first. */
static void wait_for(struct unit *unit, bool *may_end)
{
	struct unit *self = unit_self();
	if (!self || self->is_tasklet) {
		__atomic_store_n(may_end, true, __ATOMIC_RELEASE);
		while (!has_ended(unit))
			sched_yield();
		return;
	}
	if (has_ended(unit))
		return;
	struct unit *nobody = NULL;
	if (!unit->is_tasklet &&
	    __atomic_compare_exchange_n(&unit->joiner, &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		report(SUSPEND, self, here(),
		       (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = SYNC_JOIN, .object = unit});
		__atomic_store_n(may_end, true, __ATOMIC_RELEASE);
		unit_block();
		return;
	}
	__atomic_store_n(may_end, true, __ATOMIC_RELEASE);
	while (nobody == unit && !has_ended(unit))
		sched_yield(); /* it is at its end, and nobody can become its joiner any more */
	while (!has_ended(unit))
		unit_yield(SYNC_JOIN, unit);
}

/* may_end: set once the caller has said that it waits; an execution stream is told so that it may end. */
int unit_join(struct unit *unit, bool *may_end)
{
	wait_for(unit, may_end);
	report(JOIN, unit, here(), (struct context){.caller = unit_self()});
	return ABT_SUCCESS;
}

int ABT_thread_join(struct unit *unit)
{
	bool may_end;
	return unit_join(unit, &may_end);
}

int ABT_thread_free(struct unit **handle)
{
	ABT_thread_join(*handle);
	report(FREE, *handle, here(), (struct context){.caller = unit_self()});
	free((*handle)->stack);
	free(*handle);
	*handle = UNIT_NULL;
	return ABT_SUCCESS;
}

int ABT_task_join(struct unit *unit)
{
	return ABT_thread_join(unit);
}

int ABT_task_free(struct unit **handle)
{
	return ABT_thread_free(handle);
}

int ABT_thread_revive(struct pool *pool, void (*function)(void *), void *argument, struct unit **handle)
{
	struct unit *unit = *handle;
	unit->pool = pool;
	unit->function = function;
	unit->argument = argument;
	unit->joiner = NULL;
	unit->is_cancelled = false;
	if (unit->stack_bytes)
		unit_make_stack(unit, unit_start);
	report(REVIVE, unit, here(), (struct context){.pool = pool, .caller = unit_self()});
	unit_push(unit);
	return ABT_SUCCESS;
}

int ABT_thread_yield(void)
{
	if (unit_self() && !unit_self()->is_tasklet)
		unit_yield(SYNC_USER, NULL);
	return ABT_SUCCESS;
}

/* To a unit that is in a pool, past the scheduler. */
int ABT_self_yield_to(struct unit *to)
{
	struct unit *self = unit_self();
	if (!self || !pool_take(to->pool, to))
		return ABT_ERR_INV_THREAD;
	report(YIELD, self, here(), (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = SYNC_USER});
	unit_enter(to, self->parent, self);
	unit_switch(self, to, READY);
	return ABT_SUCCESS;
}

int ABT_self_suspend(void)
{
	struct unit *self = unit_self();
	report(SUSPEND, self, here(), (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = SYNC_USER});
	unit_block();
	return ABT_SUCCESS;
}

int ABT_thread_resume(struct unit *unit)
{
	unit_resume(unit);
	return ABT_SUCCESS;
}

int ABT_thread_cancel(struct unit *unit)
{
	unit->is_cancelled = true;
	return ABT_SUCCESS;
}

/* Takes effect where a scheduler next takes it out of its pool. */
int ABT_thread_migrate_to_pool(struct unit *unit, struct pool *pool)
{
	unit->migrates_to = pool;
	return ABT_SUCCESS;
}

int ABT_thread_migrate_to_xstream(struct unit *unit, struct xstream *xstream)
{
	return ABT_thread_migrate_to_pool(unit, xstream->pool);
}

int ABT_thread_migrate_to_sched(struct unit *unit, struct xstream *sched)
{
	return ABT_thread_migrate_to_xstream(unit, sched);
}

/* As the library does: to another stream that takes units from the same pool. */
int ABT_thread_migrate(struct unit *unit)
{
	struct xstream *to = xstream_sharing(unit->pool, unit->last);
	return to ? ABT_thread_migrate_to_xstream(unit, to) : ABT_ERR_MIGRATION_NA;
}

int ABT_thread_set_callback(struct unit *unit, void (*function)(struct unit *, void *), void *argument)
{
	unit->on_migration = function;
	unit->migration_argument = argument;
	return ABT_SUCCESS;
}

int ABT_self_get_thread(struct unit **unit)
{
	*unit = unit_self() ? unit_self() : UNIT_NULL;
	return unit_self() ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

int ABT_thread_get_last_xstream(struct unit *unit, struct xstream **xstream)
{
	*xstream = is_v11 ? here() : unit->last ? unit->last : XSTREAM_NULL;
	return ABT_SUCCESS;
}

int ABT_thread_get_thread_func(struct unit *unit, void (**function)(void *))
{
	*function = unit->function;
	return ABT_SUCCESS;
}

int ABT_thread_get_stacksize(struct unit *unit, size_t *bytes)
{
	*bytes = unit->stack_bytes;
	return ABT_SUCCESS;
}
