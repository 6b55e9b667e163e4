/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second tool: a library that is loaded before or after the recorder (LD_PRELOAD). It registers a callback when the program has initialised
 * Argobots, and counts events by kind; for each it asks the library all questions, and adds up the answers that are numbers. At the process's end it
 * writes them into the file that SECOND names. SECOND_HOW says when it registers:
 *   init    in ABT_init, for all events
 *   next    the same, by the function that comes after it in the loader's order
 *   late    when the program creates its third unit
 *   change  as init; from the third unit on only for creations and ends, then it unregisters, and later registers for all events again
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *handle;
typedef void callback(handle unit, handle xstream, uint64_t event, handle context, void *user);
typedef int register_function(callback *function, uint64_t events, void *user);
/* Weak: the launcher, which the library is loaded into as well, has no Argobots. */
__attribute__((weak)) register_function ABT_tool_register_thread_callback;
__attribute__((weak)) int ABT_tool_query_thread(handle context, uint64_t event, int kind, void *value);

enum kind { POOL, DEPTH, CALLER_TYPE, CALLER, SYNC_TYPE, SYNC_OBJECT };
enum { N_EVENTS = 10, ALL = 0xfff, CREATE = 1, FINISH = 32, NULL_LAST = 0xff };

static struct counts {
	uint64_t events, depths, syncs, callers, pools, objects;
} counts[N_EVENTS];
static const char *how = "init";
static unsigned n_created;
static int is_used; /* the program has initialised Argobots */

static void add(uint64_t *sum, uint64_t value)
{
	__atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

static void on_event(handle unit, handle xstream, uint64_t event, handle context, void *user)
{
	struct counts *c = (struct counts *)user + __builtin_ctzll(event);
	handle pool = NULL, caller = NULL, object = NULL;
	int depth = 0, sync = 0;
	(void)unit;
	(void)xstream;
	ABT_tool_query_thread(context, event, POOL, &pool);
	ABT_tool_query_thread(context, event, DEPTH, &depth);
	ABT_tool_query_thread(context, event, CALLER, &caller);
	ABT_tool_query_thread(context, event, SYNC_TYPE, &sync);
	ABT_tool_query_thread(context, event, SYNC_OBJECT, &object);
	add(&c->events, 1);
	add(&c->depths, (uint64_t)depth);
	add(&c->syncs, (uint64_t)sync);
	add(&c->callers, (uintptr_t)caller > NULL_LAST);
	add(&c->pools, (uintptr_t)pool > NULL_LAST);
	add(&c->objects, (uintptr_t)object > NULL_LAST);
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void listen(uint64_t events)
{
	register_function *function = ABT_tool_register_thread_callback;
	if (strcmp(how, "next") == 0)
		*(void **)&function = next("ABT_tool_register_thread_callback");
	function(events ? on_event : NULL, events, counts);
}

int ABT_init(int argc, char **argv)
{
	int (*init)(int, char **);
	*(void **)&init = next("ABT_init");
	int result = init(argc, argv);
	is_used = 1;
	how = getenv("SECOND_HOW") ? getenv("SECOND_HOW") : "init";
	if (result == 0 && strcmp(how, "late") != 0)
		listen(ALL);
	return result;
}

int ABT_thread_create(handle pool, void (*function)(void *), void *argument, handle attributes, handle *unit)
{
	int (*create)(handle, void (*)(void *), void *, handle, handle *);
	*(void **)&create = next("ABT_thread_create");
	unsigned n = __atomic_add_fetch(&n_created, 1, __ATOMIC_RELAXED);
	if (strcmp(how, "late") == 0 && n == 3)
		listen(ALL);
	if (strcmp(how, "change") == 0 && n >= 3 && n <= 5)
		listen(n == 3 ? CREATE | FINISH : n == 4 ? 0 : ALL);
	return create(pool, function, argument, attributes, unit);
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("SECOND");
	FILE *file = name && is_used ? fopen(name, "w") : NULL;
	if (!file)
		return;
	for (unsigned i = 0; i < N_EVENTS; i++)
		fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", counts[i].events,
			counts[i].depths, counts[i].syncs, counts[i].callers, counts[i].pools, counts[i].objects);
	fclose(file);
}
