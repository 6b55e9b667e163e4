/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Execution streams, and the library's beginning and end.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

static __thread struct xstream *this_xstream;
bool is_v11;
static int n_inits;
static int n_ranks;
static struct xstream *primary;
static struct unit *primary_unit;
static struct xstream *list; /* of all that there are */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;

/* Not in line: a unit that has switched may be on another thread, where a compiler would still use the address that it had found before. */
__attribute__((noinline)) struct xstream *here(void)
{
	__asm__ volatile("");
	return this_xstream;
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
	pthread_mutex_init(&xstream->own_pool.lock, NULL);
	pthread_mutex_init(&xstream->root_pool.lock, NULL);
	pthread_mutex_init(&xstream->rest_lock, NULL);
	pthread_cond_init(&xstream->rested, NULL);
	xstream->pool = &xstream->own_pool;
	xstream->rank = n_ranks++;
	pthread_mutex_lock(&list_lock);
	xstream->next = list;
	list = xstream;
	pthread_mutex_unlock(&list_lock);
	xstream->root.function = root_unit;
	xstream->sched = unit_new(&xstream->root_pool, main_scheduler, NULL, SCHED_STACK_BYTES);
	xstream->sched->depth = 0;
	xstream->sched->is_named = true;
	return xstream;
}

static void xstream_forget(const struct xstream *xstream)
{
	pthread_mutex_lock(&list_lock);
	struct xstream **link = &list;
	while (*link != xstream)
		link = &(*link)->next;
	*link = xstream->next;
	pthread_mutex_unlock(&list_lock);
}

struct xstream *xstream_sharing(const struct pool *pool, const struct xstream *last)
{
	pthread_mutex_lock(&list_lock);
	struct xstream *found = list;
	while (found && (found == last || found->pool != pool))
		found = found->next;
	pthread_mutex_unlock(&list_lock);
	return found;
}

static void run_main_scheduler(struct unit *sched)
{
	unit_enter(sched, NULL, &here()->root);
	here()->current = sched;
	schedule();
	struct unit *joiner = unit_take_joiner(sched);
	report(FINISH, sched, here(), (struct context){0});
	if (joiner)
		report(RESUME, joiner, here(), (struct context){.pool = joiner->pool, .caller = sched});
	__atomic_store_n(&sched->state, TERMINATED, __ATOMIC_RELEASE);
	while (joiner && __atomic_load_n(&joiner->is_on_stack, __ATOMIC_ACQUIRE))
		sched_yield();
	if (joiner)
		unit_push(joiner);
}

/* Its thread stays until the stream is freed. True: it is revived before that. */
static bool is_revived(struct xstream *xstream)
{
	pthread_mutex_lock(&xstream->rest_lock);
	while (!xstream->is_revived && !xstream->is_freed)
		pthread_cond_wait(&xstream->rested, &xstream->rest_lock);
	bool is_revived = xstream->is_revived;
	xstream->is_revived = false;
	pthread_mutex_unlock(&xstream->rest_lock);
	return is_revived;
}

static void end_rest(struct xstream *xstream, bool *why)
{
	pthread_mutex_lock(&xstream->rest_lock);
	*why = true;
	pthread_cond_signal(&xstream->rested);
	pthread_mutex_unlock(&xstream->rest_lock);
}

static void *xstream_main(void *argument)
{
	this_xstream = argument;
	do
		run_main_scheduler(here()->sched);
	while (is_revived(here()));
	return NULL;
}

static int create(struct pool *pool, struct xstream **handle)
{
	struct xstream *xstream = xstream_new();
	if (pool)
		xstream->pool = pool;
	if (is_v11) /* shows each execution stream's root unit, too */
		report(CREATE, &xstream->root, xstream, (struct context){0});
	report(CREATE, xstream->sched, xstream, (struct context){.pool = &xstream->root_pool});
	*handle = xstream;
	return pthread_create(&xstream->thread, NULL, xstream_main, xstream);
}

int ABT_xstream_create(void *sched, struct xstream **handle)
{
	(void)sched;
	return create(NULL, handle);
}

int ABT_xstream_create_basic(int kind, int n_pools, struct pool **pools, void *config, struct xstream **handle)
{
	(void)kind;
	(void)config;
	return n_pools == 1 ? create(pools[0], handle) : ABT_ERR_FEATURE_NA;
}

/* Its stream stands for it. */
int ABT_xstream_get_main_sched(struct xstream *xstream, struct xstream **sched)
{
	*sched = xstream;
	return ABT_SUCCESS;
}

int ABT_xstream_join(struct xstream *xstream)
{
	return unit_join(xstream->sched, &xstream->must_end);
}

int ABT_xstream_revive(struct xstream *xstream)
{
	struct unit *sched = xstream->sched;
	report(JOIN, sched, here(), (struct context){.caller = unit_self()});
	report(REVIVE, sched, here(), (struct context){.pool = &xstream->root_pool, .caller = unit_self()});
	sched->joiner = NULL;
	sched->state = READY;
	xstream->must_end = false;
	end_rest(xstream, &xstream->is_revived);
	return ABT_SUCCESS;
}

int ABT_xstream_free(struct xstream **handle)
{
	struct xstream *xstream = *handle;
	ABT_xstream_join(xstream);
	end_rest(xstream, &xstream->is_freed);
	pthread_join(xstream->thread, NULL);
	ABT_thread_free(&xstream->sched);
	if (is_v11)
		report(FREE, &xstream->root, here(), (struct context){.caller = unit_self()});
	xstream_forget(xstream);
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
		pools[i] = xstream->pool;
	return ABT_SUCCESS;
}

/* ---- The library ---- */

int ABT_init(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (n_inits++ > 0)
		return ABT_SUCCESS;
	tool_reset(!getenv("STANDIN_NO_TOOL"));
	is_v11 = getenv("STANDIN_11");
	n_ranks = 0;
	primary = xstream_new();
	this_xstream = primary;
	unit_make_stack(primary->sched, schedule_primary);
	primary_unit = unit_new(primary->pool, NULL, NULL, 1);
	primary_unit->last = primary;
	primary_unit->parent = primary->sched;
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
	tool_reset(true); /* first of all */
	schedule_rest(primary_unit);
	xstream_forget(primary);
	free(primary->sched->stack);
	free(primary->sched);
	free(primary_unit);
	free(primary);
	this_xstream = NULL;
	return ABT_SUCCESS;
}
