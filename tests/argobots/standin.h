/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stand-in for Argobots, for machines that do not have it: the part of its interface that the tests use, with the same binary interface, so that
 * conf.c runs on either. Work units have stacks of their own and really switch; execution streams are threads. What its tool interface reports, and
 * when, is what the library does (conf-*.expect are logs of the library): tests/argobots.py holds it to them.
 *
 *   STANDIN_NO_TOOL=1   as a library that was built without its tool interface
 *   STANDIN_11=1        reports as version 1.1 does
 */
#ifndef OTTER_TESTS_ARGOBOTS_STANDIN_H
#define OTTER_TESTS_ARGOBOTS_STANDIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define STACK_BYTES         16384u
#define SCHED_STACK_BYTES   (4u << 20)
#define STACKED_STACK_BYTES (64u << 10)

#define ABT_SUCCESS           0
#define ABT_ERR_UNINITIALIZED 1
#define ABT_ERR_INV_THREAD    30
#define ABT_ERR_MUTEX_LOCKED  37
#define ABT_ERR_MIGRATION_NA  49
#define ABT_ERR_FEATURE_NA    51

#define XSTREAM_NULL ((struct xstream *)0x1)
#define POOL_NULL    ((struct pool *)0x5)
#define UNIT_NULL    ((struct unit *)0x8)

enum event {
	CREATE = 1,
	JOIN = 2,
	FREE = 4,
	REVIVE = 8,
	RUN = 16,
	FINISH = 32,
	CANCEL = 64,
	YIELD = 128,
	SUSPEND = 256,
	RESUME = 512
};
enum query { QUERY_POOL, QUERY_DEPTH, QUERY_CALLER_TYPE, QUERY_CALLER, QUERY_SYNC_TYPE, QUERY_SYNC_OBJECT };
enum sync {
	SYNC_NONE,
	SYNC_USER,
	SYNC_OTHER,
	SYNC_XSTREAM_JOIN,
	SYNC_JOIN,
	SYNC_MUTEX,
	SYNC_COND,
	SYNC_RWLOCK,
	SYNC_EVENTUAL,
	SYNC_FUTURE,
	SYNC_BARRIER
};
enum state { READY, RUNNING, BLOCKED, TERMINATED };

struct unit {
	enum state state;
	bool is_tasklet, is_named, is_cancelled, is_on_stack; /* is_on_stack: its context is not saved yet */
	unsigned depth;
	struct unit *parent; /* the scheduler that runs it */
	void (*function)(void *);
	void *argument;
	ucontext_t context;
	void *stack;
	size_t stack_bytes;
	struct pool *pool;
	struct xstream *last; /* where it ran last */
	struct unit *joiner;
	struct pool *migrates_to; /* NULL: stays */
	void (*on_migration)(struct unit *unit, void *argument);
	void *migration_argument;
	struct unit *next; /* in a pool, or among an object's waiters */
};

struct pool {
	pthread_mutex_t lock;
	struct unit *first, *last;
};

struct xstream {
	pthread_t thread;
	int rank;
	bool must_end;
	pthread_mutex_t rest_lock; /* what its thread waits for once its scheduler has ended: */
	pthread_cond_t rested;
	bool is_revived, is_freed;
	struct pool own_pool, root_pool;
	struct pool *pool; /* what its main scheduler takes units from: its own, or one that several share */
	struct xstream *next;
	struct unit root, *sched;
	struct unit *current;
	/* What is to become of the unit that was left, once its context is saved. */
	struct unit *left;
	enum state left_state;
	struct unit *resumed; /* by a unit at its end: to be pushed when it is off its stack */
};

/* What a callback may ask. */
struct context {
	struct pool *pool;
	int depth;
	struct unit *caller;
	enum sync sync;
	void *object;
};

struct xstream *here(void); /* the calling thread's; NULL: an external thread */
extern bool is_v11;

/* standin_tool.c */
void report(enum event event, struct unit *unit, struct xstream *xstream, struct context context);
void tool_reset(bool is_there);

/* standin_pools.c */
struct pool *pool_new(void);
struct unit *pool_pop(struct pool *pool);
bool pool_take(struct pool *pool, struct unit *unit); /* out of the middle; false: it is not there */
void unit_push(struct unit *unit);

/* standin_switch.c */
struct unit *unit_self(void); /* NULL: external */
/* The calling unit waits, having reported it and put itself where it will be found; resumed by unit_resume. */
void unit_block(void);
void unit_resume(struct unit *unit);
void unit_yield(enum sync sync, void *object);
void unit_arrive(void);
void unit_switch(struct unit *from, struct unit *to,
		 enum state from_becomes); /* RUNNING: a scheduler, which goes on when the other one leaves */
void unit_enter(struct unit *unit, struct unit *parent, struct unit *previous);
void unit_terminate(struct unit *unit);
void unit_make_stack(struct unit *unit, void (*function)(void));
void unit_start(void);
struct unit *unit_take_joiner(struct unit *unit);

/* standin.c: another execution stream than `last` with this pool. NULL: there is none. */
struct xstream *xstream_sharing(const struct pool *pool, const struct xstream *last);

/* standin_units.c; without stack_bytes: a tasklet; without handle: without a name */
struct unit *unit_new(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes);
int unit_create(struct pool *pool, void (*function)(void *), void *argument, size_t stack_bytes, struct unit **handle);
int unit_join(struct unit *unit, bool *may_end);

/* standin_sched.c */
void schedule(void);
void schedule_primary(void);
void schedule_rest(struct unit *primary); /* until the primary's pool is empty */

int ABT_thread_free(struct unit **handle);

#endif
