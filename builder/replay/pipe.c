/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipes of pipe.h: events become slots (pipe_ring.h) and slots events. The scope, mutex or list that an event is about
 * follows in further slots. Scopes belong to the thread that empties the pipe: visitors write into them, so they are
 * copies, which have the numbers of the replay's.
 */
#include "builder/replay/pipe.h"
#include "builder/replay/pipe_ring.h"
#include "builder/support/array.h"

#include <stdlib.h>
#include <string.h>

#define PIPE_RECORDS 4096 /* streams with fewer are over before another thread is awake */

/* slot.what is c << 8 | the index of the function in struct replay_ops. */
static inline size_t function_of(const struct slot *slot)
{
	return slot->what & 0xff;
}

static inline unsigned c_of(const struct slot *slot)
{
	return slot->what >> 8;
}

/* How many more slots a value takes. */
#define SLOTS_OF(type) ((sizeof(type) + sizeof(struct slot) - 1) / sizeof(struct slot))

struct pipe {
	const struct pipes *pipes;
	uint32_t stream;
	struct scope *scopes; /* by number / n_streams */
	size_t scopes_capacity;
	struct ring ring;
};

/* A list of dependences, of any length. Freed when the visitors have had it. */
struct list {
	size_t n;
	struct dependence items[];
};

#define FUNCTION(name) (offsetof(struct replay_ops, name) / sizeof(void (*)(void)))
#define ENTER_SYNC     REPLAY_FUNCTIONS /* scope_enter of a SCOPE_SYNC or SCOPE_SYNC_WAIT */

/* The functions with no argument but the point, and with integers. No others but those below it come where there are no units. */
#define PIPED(NONE, ONE, TWO, THREE)                                                                                               \
	NONE(stream_begin)                                                                                                         \
	NONE(stream_end)                                                                                                           \
	NONE(thread_end)                                                                                                           \
	NONE(thread_detach)                                                                                                        \
	ONE(region_begin, uint32_t)                                                                                                \
	ONE(region_end, uint32_t)                                                                                                  \
	ONE(implicit_begin, uint32_t)                                                                                              \
	ONE(implicit_end, uint32_t)                                                                                                \
	ONE(task_create, uint32_t)                                                                                                 \
	ONE(flush, uint32_t)                                                                                                       \
	ONE(thread_begin, unsigned)                                                                                                \
	ONE(thread_attach, uint64_t)                                                                                               \
	ONE(buffer_flush, uint64_t)                                                                                                \
	ONE(measurement, bool)                                                                                                     \
	ONE(records_missing, bool)                                                                                                 \
	TWO(task_dependence, uint32_t, uint32_t)                                                                                   \
	TWO(cancel, uint32_t, unsigned)                                                                                            \
	TWO(control_tool, uint64_t, uint64_t)                                                                                      \
	TWO(processor, unsigned, bool)                                                                                             \
	THREE(task_switch, uint32_t, uint32_t, unsigned)

/* ---- Emptying ---- */

static struct scope *scope_place(struct pipe *p, uint32_t number)
{
	size_t index = number / p->pipes->n_streams;
	array_reserve((void **)&p->scopes, index + 1, &p->scopes_capacity, sizeof *p->scopes);
	return &p->scopes[index];
}

/* A synchronisation, which has no more to tell than one slot holds. */
static int pass_sync_enter(struct pipe *p, const struct point *at, const struct slot *slot)
{
	struct scope *scope = scope_place(p, (uint32_t)slot->a);
	*scope = (struct scope){.type = c_of(slot) & 1 ? SCOPE_SYNC : SCOPE_SYNC_WAIT,
				.kind = c_of(slot) >> 2,
				.construct = (uint32_t)(slot->a >> 32),
				.region = p->pipes->model->tasks[at->task].region,
				.enter_ticks = at->ticks,
				.is_reduction = c_of(slot) & 2,
				.arrival = (uint32_t)(slot->b >> 32),
				.ordinal = (uint32_t)slot->b,
				.number = (uint32_t)slot->a};
	return VISIT(p->pipes, scope_enter, at, scope);
}

static int pass_scope_enter(struct pipe *p, const struct point *at, const struct slot *slot)
{
	struct scope *scope = scope_place(p, (uint32_t)slot->a);
	memcpy(scope, slot + 1, sizeof *scope);
	return VISIT(p->pipes, scope_enter, at, scope);
}

static int pass_scope_leave(struct pipe *p, const struct point *at, const struct slot *slot)
{
	struct scope *scope = scope_place(p, (uint32_t)slot->a);
	scope->is_acquired = c_of(slot);
	return VISIT(p->pipes, scope_leave, at, scope);
}

static int pass_mutex(struct pipe *p, const struct point *at, const struct slot *slot)
{
	struct mutex m;
	memcpy(&m, slot + 1, sizeof m);
	return VISIT(p->pipes, mutex, at, &m);
}

static int pass_list(const struct pipe *p, const struct point *at, const struct slot *slot, bool has_failed)
{
	struct list *list;
	memcpy(&list, slot + 1, sizeof list);
	int rc = has_failed ? 0 : VISIT(p->pipes, dependences, at, (uint32_t)slot->a, list->items, list->n);
	free(list);
	return rc;
}

#define PASS_NONE(name)                                                                                                            \
	static int pass_##name(struct pipe *p, const struct point *at, const struct slot *slot)                                    \
	{                                                                                                                          \
		(void)slot;                                                                                                        \
		return VISIT(p->pipes, name, at);                                                                                  \
	}
#define PASS_ONE(name, A)                                                                                                          \
	static int pass_##name(struct pipe *p, const struct point *at, const struct slot *slot)                                    \
	{                                                                                                                          \
		(void)slot;                                                                                                        \
		return VISIT(p->pipes, name, at, (A)slot->a);                                                                      \
	}
#define PASS_TWO(name, A, B)                                                                                                       \
	static int pass_##name(struct pipe *p, const struct point *at, const struct slot *slot)                                    \
	{                                                                                                                          \
		(void)slot;                                                                                                        \
		return VISIT(p->pipes, name, at, (A)slot->a, (B)slot->b);                                                          \
	}
#define PASS_THREE(name, A, B, C)                                                                                                  \
	static int pass_##name(struct pipe *p, const struct point *at, const struct slot *slot)                                    \
	{                                                                                                                          \
		(void)slot;                                                                                                        \
		return VISIT(p->pipes, name, at, (A)slot->a, (B)slot->b, (C)c_of(slot));                                           \
	}
PIPED(PASS_NONE, PASS_ONE, PASS_TWO, PASS_THREE)

static int pass_dispatch(struct pipe *p, const struct point *at, const struct slot *slot)
{
	return VISIT(p->pipes, dispatch, at, c_of(slot), slot->a, slot->b);
}

#define PASS(name, ...) [FUNCTION(name)] = pass_##name,
static int (*const passes[])(struct pipe *p, const struct point *at, const struct slot *slot) = {
	PIPED(PASS, PASS, PASS, PASS)[FUNCTION(dispatch)] = pass_dispatch,
	[FUNCTION(scope_enter)] = pass_scope_enter, [ENTER_SYNC] = pass_sync_enter, [FUNCTION(scope_leave)] = pass_scope_leave,
	[FUNCTION(mutex)] = pass_mutex};

/* Calls the visitors for all events of the block, or for none after one of them failed. 0, or -1. */
static int empty(void *self, const struct slot *slots, size_t n, bool has_failed)
{
	struct pipe *p = self;
	for (size_t i = 0; i < n; i++) {
		const struct slot *slot = &slots[i];
		struct point at = {.stream = p->stream, .task = slot->task, .ticks = slot->ticks};
		if (function_of(slot) == FUNCTION(scope_enter))
			i += SLOTS_OF(struct scope);
		else if (function_of(slot) == FUNCTION(mutex))
			i += SLOTS_OF(struct mutex);
		else if (function_of(slot) == FUNCTION(dependences))
			i += SLOTS_OF(struct list *);
		if (function_of(slot) == FUNCTION(dependences))
			has_failed |= pass_list(p, &at, slot, has_failed) != 0;
		else if (!has_failed)
			has_failed = passes[function_of(slot)](p, &at, slot) != 0;
	}
	return has_failed ? -1 : 0;
}

bool pipes_help(const struct pipes *pipes)
{
	bool has_helped = false;
	for (size_t i = 0; pipes != NULL && i < pipes->n_streams && !has_helped; i++)
		has_helped = pipes->of[i] != NULL && ring_help(&pipes->of[i]->ring);
	return has_helped;
}

/* ---- Filling ---- */

/* Each member is stored for itself: a struct by value would be stored, loaded and stored again. 0, or -1. */
static inline int add(struct pipe *p, size_t function, const struct point *at, uint64_t a, uint64_t b, uint32_t c)
{
	struct slot *place = ring_place(&p->ring, 0);
	if (place == NULL)
		return -1;
	place->ticks = at->ticks;
	place->a = a;
	place->b = b;
	place->task = at->task;
	place->what = c << 8 | (uint32_t)function;
	return 0;
}

/* The same for an event that is about more. */
static int add_more(struct pipe *p, size_t function, const struct point *at, uint64_t a, const void *more, size_t n_bytes)
{
	struct slot *place = ring_place(&p->ring, n_bytes);
	if (place == NULL)
		return -1;
	*place = (struct slot){.ticks = at->ticks, .a = a, .task = at->task, .what = (uint32_t)function};
	memcpy(place + 1, more, n_bytes);
	return 0;
}

/* Ends a visitor's function: adds the event to the pipe of its stream, or calls the visitors if it has none. */
#define SEND(visits, adds)                                                                                                         \
	const struct pipes *pipes = self;                                                                                          \
	struct pipe *p = pipes->of[at->stream];                                                                                    \
	return p == NULL ? visits : adds

#define SEND_NONE(name)                                                                                                            \
	static int send_##name(void *self, const struct point *at)                                                                 \
	{                                                                                                                          \
		SEND(VISIT(pipes, name, at), add(p, FUNCTION(name), at, 0, 0, 0));                                                 \
	}
#define SEND_ONE(name, A)                                                                                                          \
	static int send_##name(void *self, const struct point *at, A a)                                                            \
	{                                                                                                                          \
		SEND(VISIT(pipes, name, at, a), add(p, FUNCTION(name), at, a, 0, 0));                                              \
	}
#define SEND_TWO(name, A, B)                                                                                                       \
	static int send_##name(void *self, const struct point *at, A a, B b)                                                       \
	{                                                                                                                          \
		SEND(VISIT(pipes, name, at, a, b), add(p, FUNCTION(name), at, a, b, 0));                                           \
	}
#define SEND_THREE(name, A, B, C)                                                                                                  \
	static int send_##name(void *self, const struct point *at, A a, B b, C c)                                                  \
	{                                                                                                                          \
		SEND(VISIT(pipes, name, at, a, b, c), add(p, FUNCTION(name), at, a, b, c));                                        \
	}
PIPED(SEND_NONE, SEND_ONE, SEND_TWO, SEND_THREE)

static int send_dispatch(void *self, const struct point *at, unsigned kind, uint64_t start, uint64_t iterations)
{
	SEND(VISIT(pipes, dispatch, at, kind, start, iterations), add(p, FUNCTION(dispatch), at, start, iterations, kind));
}

static int send_scope_enter(void *self, const struct point *at, struct scope *scope)
{
	bool is_sync = scope->type == SCOPE_SYNC || scope->type == SCOPE_SYNC_WAIT;
	uint64_t a = (uint64_t)scope->construct << 32 | scope->number, b = (uint64_t)scope->arrival << 32 | scope->ordinal;
	uint32_t c = scope->kind << 2 | (uint32_t)scope->is_reduction << 1 | (scope->type == SCOPE_SYNC);
	SEND(VISIT(pipes, scope_enter, at, scope),
	     is_sync ? add(p, ENTER_SYNC, at, a, b, c)
		     : add_more(p, FUNCTION(scope_enter), at, scope->number, scope, sizeof *scope));
}

static int send_scope_leave(void *self, const struct point *at, struct scope *scope)
{
	SEND(VISIT(pipes, scope_leave, at, scope), add(p, FUNCTION(scope_leave), at, scope->number, 0, scope->is_acquired));
}

static int send_mutex(void *self, const struct point *at, const struct mutex *m)
{
	SEND(VISIT(pipes, mutex, at, m), add_more(p, FUNCTION(mutex), at, 0, m, sizeof *m));
}

static int send_dependences(void *self, const struct point *at, uint32_t task, const struct dependence *items, size_t n)
{
	const struct pipes *pipes = self;
	struct pipe *p = pipes->of[at->stream];
	if (p == NULL)
		return VISIT(pipes, dependences, at, task, items, n);
	struct list *list = memory_get(sizeof *list + n * sizeof *items, 1, "dependences");
	list->n = n;
	if (n > 0)
		memcpy(list->items, items, n * sizeof *items);
	int rc = add_more(p, FUNCTION(dependences), at, task, &list, sizeof list);
	if (rc != 0)
		free(list);
	return rc;
}

#define OP(name, ...) .name = send_##name,
static const struct replay_ops pipe_ops = {PIPED(OP, OP, OP, OP).dispatch = send_dispatch, .scope_enter = send_scope_enter,
					   .scope_leave = send_scope_leave, .mutex = send_mutex, .dependences = send_dependences};

/* ---- From the first event to the last ---- */

int pipes_end(const struct pipes *pipes, uint32_t stream)
{
	struct pipe *p = pipes != NULL ? pipes->of[stream] : NULL;
	return p != NULL ? ring_fill_next(&p->ring, true) : 0;
}

static struct pipe *make_pipe(const struct pipes *pipes, uint32_t stream)
{
	struct pipe *p = memory_zeroed(1, sizeof *p, "the replay");
	p->pipes = pipes;
	p->stream = stream;
	ring_begin(&p->ring, empty, p);
	return p;
}

/* Is the stream longer, by more than a pipe costs, than what each thread would have if they all had the same? */
static bool is_long(const struct dump *dump, const struct stream *stream, size_t n_threads)
{
	return stream->n_records >= PIPE_RECORDS && stream->n_records / 5 * n_threads > dump->n_records / 4;
}

/* All functions of the visitors lead to the pipes. */
static void lead(struct pipes *pipes, struct replay *r)
{
	memcpy(pipes->calls, r->calls, sizeof pipes->calls);
	for (size_t f = 0; f < REPLAY_FUNCTIONS; f++) {
		struct call *call = pipes->own[f];
		call->self = pipes;
		/* A visitor that only takes the ends of scopes gets them, too, as they were entered. */
		if (pipes->calls[f]->function != NULL || f == FUNCTION(scope_enter))
			memcpy(&call->function, (const char *)&pipe_ops + f * sizeof call->function, sizeof call->function);
		r->calls[f] = call;
	}
}

struct pipes *pipes_begin(struct replay *r, size_t n_threads)
{
	const struct dump *dump = r->model->dump;
	struct pipes *pipes = NULL;
	for (uint32_t i = 0; i < dump->n_streams && n_threads > 1 && r->hands.n == 0; i++) {
		if (!is_long(dump, &dump->streams[i], n_threads))
			continue;
		if (pipes == NULL) {
			pipes = memory_zeroed(1, sizeof *pipes, "the replay");
			pipes->of = memory_zeroed(dump->n_streams, sizeof(struct pipe *), "the replay");
			pipes->n_streams = dump->n_streams;
			pipes->model = r->model;
			lead(pipes, r);
		}
		pipes->of[i] = make_pipe(pipes, i);
		pipes->n++;
	}
	return pipes;
}

void pipes_free(struct pipes *pipes)
{
	for (size_t i = 0; pipes != NULL && i < pipes->n_streams; i++) {
		struct pipe *p = pipes->of[i];
		if (p == NULL)
			continue;
		ring_free(&p->ring);
		free(p->scopes);
		free(p);
	}
	if (pipes != NULL)
		free(pipes->of);
	free(pipes);
}
