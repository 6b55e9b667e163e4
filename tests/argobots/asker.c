/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tool that asks everything: a library to be loaded before the recorder (LD_PRELOAD), which registers a callback for all events when the program
 * has initialised Argobots, and asks the library everything about each. At the process's end it writes a line for each event into the file that
 * ASKER names, thread by thread: the OS thread, the event's number, unit, execution stream, pool, depth, caller, what it waits for, and the object.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef void *handle;
typedef void callback(handle unit, handle xstream, uint64_t event, handle context, void *user);
int ABT_tool_register_thread_callback(callback *function, uint64_t events, void *user);
int ABT_tool_query_thread(handle context, uint64_t event, int kind, void *value);

enum kind { POOL, DEPTH, CALLER_TYPE, CALLER, SYNC_TYPE, SYNC_OBJECT };

#define BLOCK 1024
struct answer {
	uint64_t event;
	handle unit, xstream, pool, caller, object;
	int depth, sync;
};
struct block {
	struct block *next;
	pid_t thread;
	unsigned n;
	struct answer answers[BLOCK];
};
static struct block *blocks; /* the newest one first */
static __thread struct block *mine;

static void on_event(handle unit, handle xstream, uint64_t event, handle context, void *user)
{
	(void)user;
	if (!mine || mine->n == BLOCK) {
		mine = calloc(1, sizeof *mine);
		mine->thread = gettid();
		mine->next = __atomic_load_n(&blocks, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&blocks, &mine->next, mine, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
	}
	struct answer *a = &mine->answers[mine->n++];
	*a = (struct answer){.event = event, .unit = unit, .xstream = xstream};
	ABT_tool_query_thread(context, event, POOL, &a->pool);
	ABT_tool_query_thread(context, event, DEPTH, &a->depth);
	ABT_tool_query_thread(context, event, CALLER, &a->caller);
	ABT_tool_query_thread(context, event, SYNC_TYPE, &a->sync);
	ABT_tool_query_thread(context, event, SYNC_OBJECT, &a->object);
}

int ABT_init(int argc, char **argv)
{
	int (*init)(int, char **);
	*(void **)&init = dlsym(RTLD_NEXT, "ABT_init");
	int result = init(argc, argv);
	if (result == 0)
		ABT_tool_register_thread_callback(on_event, 0xfff, NULL);
	return result;
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("ASKER");
	FILE *file = name && blocks ? fopen(name, "w") : NULL;
	if (!file)
		return;
	struct block *first = NULL; /* the oldest one */
	while (blocks) {
		struct block *next = blocks->next;
		blocks->next = first;
		first = blocks;
		blocks = next;
	}
	for (const struct block *b = first; b; b = b->next)
		for (const struct answer *a = b->answers; a < b->answers + b->n; a++)
			fprintf(file, "%d %" PRIu64 " %p %p %p %d %p %d %p\n", b->thread, a->event, a->unit, a->xstream, a->pool,
				a->depth, a->caller, a->sync, a->object);
	fclose(file);
}
