/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work units, execution streams and the tool interface. Everything is reported before others can see it.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef void callback(void *unit, void *xstream, uint64_t event, void *context, void *user);

static __thread struct xstream *this_xstream;
bool is_v11;
static bool has_tool;
static int n_inits;
static int n_ranks;
static struct xstream *primary;
static struct unit *primary_unit;
static struct tool {
	callback *function;
	uint64_t events;
	void *user;
} tool;

/* Not in line: a unit that has switched may be on another thread, where a compiler would still use the address that it had found before. */
__attribute__((noinline)) struct xstream *here(void)
{
	__asm__ volatile("");
	return this_xstream;
}

/* ---- The tool interface ---- */

void report(enum event event, struct unit *unit, struct xstream *xstream, struct context context)
{
	if (tool.function && tool.events & event)
		tool.function(unit, xstream ? xstream : XSTREAM_NULL, event, &context, tool.user);
}

int ABT_tool_register_thread_callback(callback *function, uint64_t events, void *user)
{
	if (!has_tool)
		return ABT_ERR_FEATURE_NA;
	tool = (struct tool){function, events, user};
	return ABT_SUCCESS;
}

/* As the library: any kind is answered for any event, with nothing where nothing is known. */
int ABT_tool_query_thread(void *context, uint64_t event, int kind, void *value)
{
	const struct context *c = context;
	(void)event;
	switch (kind) {
	case QUERY_POOL: *(void **)value = c->pool ? c->pool : POOL_NULL; break;
	case QUERY_DEPTH: *(int *)value = c->depth; break;
	case QUERY_CALLER_TYPE: *(int *)value = c->caller != NULL; break;
	case QUERY_CALLER: *(void **)value = c->caller; break;
	case QUERY_SYNC_TYPE: *(int *)value = c->sync; break;
	case QUERY_SYNC_OBJECT: *(void **)value = c->object; break;
	default: return ABT_ERR_FEATURE_NA;
	}
	return ABT_SUCCESS;
}

/* ---- Pools ---- */

static void push(struct pool *pool, struct unit *unit)
{
	pthread_mutex_lock(&pool->lock);
	unit->next = NULL;
	*(pool->first ? &pool->last->next : &pool->first) = unit;
	pool->last = unit;
	pthread_mutex_unlock(&pool->lock);
}

static struct unit *pop(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	struct unit *unit = pool->first;
	if (unit)
		pool->first = unit->next;
	pthread_mutex_unlock(&pool->lock);
	return unit;
}

/* Takes a unit out of the middle. */
static bool take(struct pool *pool, struct unit *unit)
{
	pthread_mutex_lock(&pool->lock);
	struct unit **link = &pool->first, *before = NULL;
	while (*link && *link != unit) {
		before = *link;
		link = &before->next;
	}
	bool is_there = *link != NULL;
	if (is_there) {
		*link = unit->next;
		if (pool->last == unit)
			pool->last = before;
	}
	pthread_mutex_unlock(&pool->lock);
	return is_there;
}

void unit_push(struct unit *unit)
{
	__atomic_store_n(&unit->state, READY, __ATOMIC_RELEASE);
	push(unit->pool, unit);
}

/* ---- Switching ---- */

struct unit *unit_self(void)
{
	return here() ? here()->current : NULL;
}

static void terminate(struct unit *unit)
{
	if (unit->is_named) {
		__atomic_store_n(&unit->state, TERMINATED, __ATOMIC_RELEASE);
		return;
	}
	report(FREE, unit, here(), (struct context){.caller = here()->sched});
	free(unit->stack);
	free(unit);
}

/* On the other side of a switch: the unit that was left has its context saved, and goes where it belongs. */
static void arrive(void)
{
	struct unit *left = here()->left;
	if (!left)
		return;
	here()->left = NULL;
	__atomic_store_n(&left->is_on_stack, false, __ATOMIC_RELEASE);
	if (here()->left_state == TERMINATED)
		terminate(left);
	else if (here()->left_state == READY)
		unit_push(left);
}

static void switch_to(struct unit *from, struct unit *to, enum state from_becomes)
{
	if (from_becomes == BLOCKED)
		__atomic_store_n(&from->state, BLOCKED, __ATOMIC_RELEASE);
	here()->left = from == here()->sched ? NULL : from;
	here()->left_state = from_becomes;
	here()->current = to;
	swapcontext(&from->context, &to->context);
	arrive();
}

static void enter(struct unit *unit, struct unit *previous)
{
	report(RUN, unit, here(), (struct context){.depth = (int)unit->depth, .caller = previous});
	unit->state = RUNNING;
	unit->is_on_stack = true;
	unit->last = here();
}

void unit_block(void)
{
	switch_to(unit_self(), here()->sched, BLOCKED);
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
	switch_to(self, here()->sched, READY);
}

/* Takes who waits for a unit's end, and sees to it that nobody else can; the joiner has reported that it waits, when this returns. */
static struct unit *take_joiner(struct unit *unit)
{
	struct unit *joiner = __atomic_exchange_n(&unit->joiner, unit, __ATOMIC_ACQ_REL);
	while (joiner && __atomic_load_n(&joiner->state, __ATOMIC_ACQUIRE) != BLOCKED)
		sched_yield();
	return joiner;
}

/* The end of a unit with a stack of its own. Its joiner runs next where it belongs to the same execution stream. */
static void finish(struct unit *self)
{
	struct unit *joiner = take_joiner(self);
	struct context resume = {.caller = self};
	if (joiner)
		resume.pool = joiner->pool;
	if (joiner && is_v11)
		report(RESUME, joiner, here(), resume);
	report(FINISH, self, here(), (struct context){.depth = (int)self->depth});
	if (joiner && !is_v11)
		report(RESUME, joiner, here(), resume);
	struct unit *next = here()->sched;
	if (joiner) {
		while (__atomic_load_n(&joiner->is_on_stack, __ATOMIC_ACQUIRE))
			sched_yield();
		if (joiner->last == here() && joiner->pool == &here()->pool) {
			enter(joiner, self);
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

static void start(void)
{
	arrive();
	struct unit *self = unit_self();
	self->function(self->argument);
	finish(unit_self());
}

static void make_stack(struct unit *unit, void (*function)(void))
{
	if (!unit->stack)
		unit->stack = aligned_alloc(4096, unit->stack_bytes);
	getcontext(&unit->context);
	unit->context.uc_stack.ss_sp = unit->stack;
	unit->context.uc_stack.ss_size = unit->stack_bytes;
	makecontext(&unit->context, function, 0);
}

/* ---- Scheduling ---- */

static void cancel(struct unit *unit)
{
	struct unit *joiner = take_joiner(unit);
	struct xstream *last = is_v11 && !unit->last ? here() : unit->last;
	if (joiner)
		report(RESUME, joiner, last, (struct context){.pool = joiner->pool, .caller = last ? here()->sched : NULL});
	report(CANCEL, unit, last, (struct context){0});
	terminate(unit);
	if (joiner)
		unit_push(joiner);
}

static void run(struct unit *unit)
{
	if (unit->is_cancelled) {
		cancel(unit);
		return;
	}
	enter(unit, here()->sched);
	if (!unit->is_tasklet) {
		switch_to(here()->sched, unit, RUNNING);
		struct unit *resumed = here()->resumed;
		here()->resumed = NULL;
		if (resumed)
			unit_push(resumed);
		return;
	}
	here()->current = unit;
	unit->function(unit->argument);
	here()->current = here()->sched;
	report(FINISH, unit, here(), (struct context){.depth = (int)unit->depth});
	unit->is_on_stack = false;
	terminate(unit);
}

static void schedule(void)
{
	for (;;) {
		struct unit *unit = pop(&here()->pool);
		if (unit)
			run(unit);
		else if (__atomic_load_n(&here()->must_end, __ATOMIC_ACQUIRE))
			return;
		else
			sched_yield();
	}
}

static void schedule_primary(void)
{
	arrive();
	schedule();
}

/* ---- Units ---- */

static struct unit *unit_new(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes)
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

static int create(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes, struct unit **handle)
{
	struct unit *unit = unit_new(pool, function, argument, stack_bytes);
	unit->is_named = handle != NULL;
	if (handle)
		*handle = unit;
	if (stack_bytes)
		make_stack(unit, start);
	report(CREATE, unit, here(), (struct context){.pool = pool, .caller = unit_self()});
	unit_push(unit);
	return ABT_SUCCESS;
}

int ABT_thread_create(struct pool *pool, void (*function)(void *), void *argument, void *attributes, struct unit **handle)
{
	(void)attributes;
	return create(pool, function, argument, STACK_BYTES, handle);
}

int ABT_task_create(struct pool *pool, void (*function)(void *), void *argument, struct unit **handle)
{
	return create(pool, function, argument, 0, handle);
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
static int join(struct unit *unit, bool *may_end)
{
	wait_for(unit, may_end);
	report(JOIN, unit, here(), (struct context){.caller = unit_self()});
	return ABT_SUCCESS;
}

int ABT_thread_join(struct unit *unit)
{
	bool may_end;
	return join(unit, &may_end);
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
		make_stack(unit, start);
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
	if (!self || !take(to->pool, to))
		return ABT_ERR_INV_THREAD;
	report(YIELD, self, here(), (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = SYNC_USER});
	enter(to, self);
	switch_to(self, to, READY);
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

/* Takes effect where it next goes into a pool. */
int ABT_thread_migrate_to_pool(struct unit *unit, struct pool *pool)
{
	unit->pool = pool;
	return ABT_SUCCESS;
}

int ABT_self_get_thread(struct unit **unit)
{
	*unit = unit_self() ? unit_self() : UNIT_NULL;
	return unit_self() ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
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

/* ---- Execution streams ---- */

static void main_scheduler(void *argument)
{
	(void)argument; /* its address is what the tool interface shows of it */
}

static void root_unit(void *argument)
{
	(void)argument; /* likewise */
}

static struct xstream *xstream_new(void)
{
	struct xstream *xstream = aligned_alloc(64, (sizeof *xstream + 63) / 64 * 64);
	memset(xstream, 0, sizeof *xstream);
	pthread_mutex_init(&xstream->pool.lock, NULL);
	pthread_mutex_init(&xstream->root_pool.lock, NULL);
	xstream->rank = n_ranks++;
	xstream->root.function = root_unit;
	xstream->sched = unit_new(&xstream->root_pool, main_scheduler, NULL, SCHED_STACK_BYTES);
	xstream->sched->depth = 0;
	xstream->sched->is_named = true;
	return xstream;
}

static void *xstream_main(void *argument)
{
	this_xstream = argument;
	struct unit *sched = here()->sched;
	enter(sched, &here()->root);
	here()->current = sched;
	schedule();
	struct unit *joiner = take_joiner(sched);
	report(FINISH, sched, here(), (struct context){0});
	if (joiner)
		report(RESUME, joiner, here(), (struct context){.pool = joiner->pool, .caller = sched});
	__atomic_store_n(&sched->state, TERMINATED, __ATOMIC_RELEASE);
	while (joiner && __atomic_load_n(&joiner->is_on_stack, __ATOMIC_ACQUIRE))
		sched_yield();
	if (joiner)
		unit_push(joiner);
	return NULL;
}

int ABT_xstream_create(void *sched, struct xstream **handle)
{
	(void)sched;
	struct xstream *xstream = xstream_new();
	if (is_v11) /* shows each execution stream's root unit, too */
		report(CREATE, &xstream->root, xstream, (struct context){0});
	report(CREATE, xstream->sched, xstream, (struct context){.pool = &xstream->root_pool});
	*handle = xstream;
	return pthread_create(&xstream->thread, NULL, xstream_main, xstream);
}

int ABT_xstream_join(struct xstream *xstream)
{
	join(xstream->sched, &xstream->must_end);
	if (xstream->thread)
		pthread_join(xstream->thread, NULL);
	xstream->thread = 0;
	return ABT_SUCCESS;
}

int ABT_xstream_free(struct xstream **handle)
{
	struct xstream *xstream = *handle;
	ABT_xstream_join(xstream);
	ABT_thread_free(&xstream->sched);
	if (is_v11)
		report(FREE, &xstream->root, here(), (struct context){.caller = unit_self()});
	free(xstream);
	*handle = XSTREAM_NULL;
	return ABT_SUCCESS;
}

int ABT_xstream_self(struct xstream **xstream)
{
	*xstream = here() ? here() : XSTREAM_NULL;
	return ABT_SUCCESS;
}

int ABT_xstream_get_rank(struct xstream *xstream, int *rank)
{
	*rank = xstream->rank;
	return ABT_SUCCESS;
}

int ABT_xstream_get_main_pools(struct xstream *xstream, int n, struct pool **pools)
{
	for (int i = 0; i < n; i++)
		pools[i] = &xstream->pool;
	return ABT_SUCCESS;
}

/* ---- The library ---- */

int ABT_init(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (n_inits++ > 0)
		return ABT_SUCCESS;
	has_tool = !getenv("STANDIN_NO_TOOL");
	is_v11 = getenv("STANDIN_11");
	tool = (struct tool){0};
	n_ranks = 0;
	primary = xstream_new();
	this_xstream = primary;
	make_stack(primary->sched, schedule_primary);
	primary_unit = unit_new(&primary->pool, NULL, NULL, 1);
	primary_unit->last = primary;
	primary_unit->is_on_stack = true;
	primary_unit->state = RUNNING;
	primary->current = primary_unit;
	return ABT_SUCCESS;
}

int ABT_initialized(void)
{
	return n_inits > 0 ? ABT_SUCCESS : ABT_ERR_UNINITIALIZED;
}

int ABT_finalize(void)
{
	if (n_inits == 0)
		return ABT_ERR_UNINITIALIZED;
	if (--n_inits > 0)
		return ABT_SUCCESS;
	tool = (struct tool){0}; /* first of all */
	free(primary->sched->stack);
	free(primary->sched);
	free(primary_unit);
	free(primary);
	this_xstream = NULL;
	return ABT_SUCCESS;
}
