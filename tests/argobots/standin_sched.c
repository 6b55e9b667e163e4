/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Schedulers: they take units out of pools and run them.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>

static void cancel(struct unit *unit)
{
	struct unit *joiner = unit_take_joiner(unit);
	struct xstream *last = is_v11 && !unit->last ? here() : unit->last;
	if (joiner)
		report(RESUME, joiner, last, (struct context){.pool = joiner->pool, .caller = last ? unit_self() : NULL});
	report(CANCEL, unit, last, (struct context){0});
	unit_terminate(unit);
	if (joiner)
		unit_push(joiner);
}

/* It goes to its new pool without having run. */
static void migrate(struct unit *unit)
{
	unit->pool = unit->migrates_to;
	unit->migrates_to = NULL;
	if (unit->on_migration)
		unit->on_migration(unit, unit->migration_argument);
	unit_push(unit);
}

static void run(struct unit *unit)
{
	if (unit->is_cancelled) {
		cancel(unit);
		return;
	}
	if (unit->migrates_to) {
		migrate(unit);
		return;
	}
	struct unit *scheduler = unit_self();
	unit_enter(unit, scheduler, scheduler);
	if (!unit->is_tasklet) {
		unit_switch(scheduler, unit, RUNNING);
		struct unit *resumed = here()->resumed;
		here()->resumed = NULL;
		if (resumed)
			unit_push(resumed);
		return;
	}
	here()->current = unit;
	unit->function(unit->argument);
	here()->current = scheduler;
	report(FINISH, unit, here(), (struct context){.depth = (int)unit->depth});
	unit->is_on_stack = false;
	unit_terminate(unit);
}

void schedule(void)
{
	for (;;) {
		struct unit *unit = pool_pop(here()->pool);
		if (unit)
			run(unit);
		else if (__atomic_load_n(&here()->must_end, __ATOMIC_ACQUIRE))
			return;
		else
			sched_yield();
	}
}

static struct unit *finalizing; /* the primary unit, which goes on when nothing is left to run */

void schedule_primary(void)
{
	unit_arrive();
	schedule();
	here()->current = finalizing;
	setcontext(&finalizing->context);
}

void schedule_rest(struct unit *primary)
{
	finalizing = primary;
	here()->must_end = true;
	unit_switch(primary, here()->sched, BLOCKED);
}

/* ---- Schedulers that are units in another one's pool ---- */

struct scheduler {
	struct pool *pool;
};

static void stacked_scheduler(void *argument)
{
	struct scheduler *scheduler = argument;
	struct unit *unit;
	while ((unit = pool_pop(scheduler->pool)))
		run(unit);
	free(scheduler);
}

int ABT_sched_create_basic(int kind, int n_pools, struct pool **pools, void *config, struct scheduler **handle)
{
	(void)kind;
	(void)config;
	if (n_pools != 1)
		return ABT_ERR_FEATURE_NA;
	*handle = malloc(sizeof **handle);
	(*handle)->pool = pools[0];
	return ABT_SUCCESS;
}

int ABT_pool_add_sched(struct pool *pool, struct scheduler *scheduler)
{
	return unit_create(pool, stacked_scheduler, scheduler, STACKED_STACK_BYTES, NULL);
}
