/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a unit leaves its stack, and another one goes on.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>

struct unit *unit_self(void)
{
	return here() ? here()->current : NULL;
}

void unit_terminate(struct unit *unit)
{
	if (unit->is_named) {
		__atomic_store_n(&unit->state, TERMINATED, __ATOMIC_RELEASE);
		return;
	}
	report(FREE, unit, here(), (struct context){.caller = unit->parent});
	free(unit->stack);
	free(unit);
}

/* On the other side of a switch: the unit that was left has its context saved, and goes where it belongs. */
void unit_arrive(void)
{
	struct unit *left = here()->left;
	if (!left)
		return;
	here()->left = NULL;
	__atomic_store_n(&left->is_on_stack, false, __ATOMIC_RELEASE);
	if (here()->left_state == TERMINATED)
		unit_terminate(left);
	else if (here()->left_state == READY)
		unit_push(left);
}

void unit_switch(struct unit *from, struct unit *to, enum state from_becomes)
{
	if (from_becomes == BLOCKED)
		__atomic_store_n(&from->state, BLOCKED, __ATOMIC_RELEASE);
	here()->left = from_becomes == RUNNING ? NULL : from;
	here()->left_state = from_becomes;
	here()->current = to;
	swapcontext(&from->context, &to->context);
	unit_arrive();
}

/* Runs on top of `parent`, or, as a main scheduler, of nobody. */
void unit_enter(struct unit *unit, struct unit *parent, struct unit *previous)
{
	unit->parent = parent;
	unit->depth = parent ? parent->depth + 1 : 0;
	report(RUN, unit, here(), (struct context){.depth = (int)unit->depth, .caller = previous});
	unit->state = RUNNING;
	unit->is_on_stack = true;
	unit->last = here();
}

void unit_block(void)
{
	unit_switch(unit_self(), unit_self()->parent, BLOCKED);
}

void unit_resume(struct unit *unit)
{
	report(RESUME, unit, here(), (struct context){.pool = unit->pool, .caller = unit_self()});
	while (__atomic_load_n(&unit->is_on_stack, __ATOMIC_ACQUIRE))
		sched_yield(); /* it has said that it waits, and is about to leave its stack */
	unit_push(unit);
}

void unit_yield(enum sync sync, void *object)
{
	struct unit *self = unit_self();
	report(YIELD, self, here(),
	       (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = sync, .object = object});
	unit_switch(self, self->parent, READY);
}

/* Takes who waits for a unit's end, and sees to it that nobody else can; the joiner has reported that it waits, when this returns. */
struct unit *unit_take_joiner(struct unit *unit)
{
	struct unit *joiner = __atomic_exchange_n(&unit->joiner, unit, __ATOMIC_ACQ_REL);
	while (joiner && __atomic_load_n(&joiner->state, __ATOMIC_ACQUIRE) != BLOCKED)
		sched_yield();
	return joiner;
}

/* The end of a unit with a stack of its own. Its joiner runs next where it belongs to the same execution stream. */
static void finish(struct unit *self)
{
	struct unit *joiner = unit_take_joiner(self);
	struct context resume = {.caller = self};
	if (joiner)
		resume.pool = joiner->pool;
	if (joiner && is_v11)
		report(RESUME, joiner, here(), resume);
	report(FINISH, self, here(), (struct context){.depth = (int)self->depth});
	if (joiner && !is_v11)
		report(RESUME, joiner, here(), resume);
	struct unit *next = self->parent;
	if (joiner) {
		while (__atomic_load_n(&joiner->is_on_stack, __ATOMIC_ACQUIRE))
			sched_yield();
		if (joiner->last == here()) {
			unit_enter(joiner, self->parent, self);
			next = joiner;
		}
	}
	here()->left = self;
	here()->left_state = TERMINATED;
	here()->current = next;
	if (next != joiner)
		here()->resumed = joiner; /* it frees us as soon as it runs: once the scheduler is on its own stack */
	swapcontext(&self->context, &next->context);
	abort();
}

void unit_start(void)
{
	unit_arrive();
	struct unit *self = unit_self();
	self->function(self->argument);
	finish(unit_self());
}

void unit_make_stack(struct unit *unit, void (*function)(void))
{
	if (!unit->stack)
		unit->stack = aligned_alloc(4096, unit->stack_bytes);
	getcontext(&unit->context);
	unit->context.uc_stack.ss_sp = unit->stack;
	unit->context.uc_stack.ss_size = unit->stack_bytes;
	makecontext(&unit->context, function, 0);
}
