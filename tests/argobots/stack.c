/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units that change their pool, and schedulers that are units in another scheduler's pool, on one execution stream: what comes is the same in every
 * run. Its logs from the library are stack*.expect. Own declarations, so that it is built without Argobots and runs on the library or on the
 * stand-in.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_thread_migrate_to_pool(H, H), ABT_thread_set_callback(H, void (*)(H, void *), void *);
int ABT_pool_create_basic(int, int, int, H *), ABT_pool_add_sched(H, H), ABT_sched_create_basic(int, int, H *, H, H *);

#define DEFAULT        ((H)9) /* ABT_THREAD_ATTR_NULL */
#define DEFAULT_CONFIG ((H)4) /* ABT_SCHED_CONFIG_NULL */
#define FIFO           0
#define MPMC           4 /* ABT_POOL_ACCESS_MPMC */
#define AUTOMATIC      1
#define BASIC          1 /* ABT_SCHED_BASIC */
#define N_UNITS        3

static H pool, inner, innermost;
static int total, n_migrated;

static void add(H to, H from)
{
	H scheduler;
	ABT_sched_create_basic(BASIC, 1, &from, DEFAULT_CONFIG, &scheduler);
	ABT_pool_add_sched(to, scheduler);
}

static void yield_twice(void *argument)
{
	ABT_thread_yield();
	ABT_thread_yield();
	total++;
	(void)argument;
}

/* A child in a pool of a scheduler on top of the one that runs this. */
static void nest(void *argument)
{
	H child;
	ABT_thread_create(innermost, yield_twice, NULL, DEFAULT, &child);
	add(inner, innermost);
	ABT_thread_free(&child);
	total++;
	(void)argument;
}

static void on_migration(H unit, void *argument)
{
	n_migrated++;
	(void)unit;
	(void)argument;
}

static void create_and_free(H where, void (*function)(void *), int with_scheduler)
{
	H units[N_UNITS];
	for (int i = 0; i < N_UNITS; i++)
		ABT_thread_create(where, function, NULL, DEFAULT, &units[i]);
	if (with_scheduler)
		add(pool, where);
	for (int i = 0; i < N_UNITS; i++)
		ABT_thread_free(&units[i]);
}

/* Out of the main scheduler's pool, while it is in it, and back again from a pool of a stacked one. */
static void migrate(void)
{
	H unit, other;
	ABT_thread_create(pool, yield_twice, NULL, DEFAULT, &unit);
	ABT_thread_set_callback(unit, on_migration, NULL);
	ABT_thread_yield();
	ABT_thread_migrate_to_pool(unit, inner);
	ABT_thread_yield();
	ABT_thread_yield();
	ABT_thread_create(inner, yield_twice, NULL, DEFAULT, &other);
	add(pool, inner);
	ABT_thread_migrate_to_pool(other, pool);
	ABT_thread_free(&unit);
	ABT_thread_free(&other);
}

int main(void)
{
	H self;
	ABT_init(0, NULL);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	ABT_pool_create_basic(FIFO, MPMC, AUTOMATIC, &inner);
	create_and_free(inner, yield_twice, 1);
	ABT_pool_create_basic(FIFO, MPMC, AUTOMATIC, &inner);
	ABT_pool_create_basic(FIFO, MPMC, AUTOMATIC, &innermost);
	ABT_thread_yield();
	{
		H unit;
		ABT_thread_create(inner, nest, NULL, DEFAULT, &unit);
		add(pool, inner);
		ABT_thread_free(&unit);
	}
	ABT_pool_create_basic(FIFO, MPMC, AUTOMATIC, &inner);
	migrate();
	ABT_finalize();
	printf("%d %d\n", total, n_migrated);
	return total == N_UNITS + 2 + 2 ? 0 : 1;
}
