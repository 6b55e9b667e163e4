/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units that are moved to another execution stream between their two parts: to a stream, to a scheduler, to its pool, and to any that the library finds.
 * (It finds only those that share the unit's pool: where every stream has a pool of its own it refuses.) Each part notes where it ran; what was noted is
 * printed: NAME RANK RANK. With an argument: none to any stream. Own declarations, so that it is built without Argobots and runs on the library or on the stand-in.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_xstream_create(H, H *), ABT_xstream_create_basic(int, int, H *, H, H *), ABT_xstream_join(H), ABT_xstream_free(H *);
int ABT_xstream_get_main_sched(H, H *), ABT_xstream_get_rank(H, int *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_thread_migrate(H), ABT_thread_migrate_to_xstream(H, H), ABT_thread_migrate_to_sched(H, H), ABT_thread_migrate_to_pool(H, H);
int ABT_pool_create_basic(int, int, int, H *);
int ABT_thread_set_callback(H, void (*)(H, void *), void *);

#define DEFAULT        ((H)9) /* ABT_THREAD_ATTR_NULL */
#define DEFAULT_SCHED  ((H)3) /* ABT_SCHED_NULL */
#define DEFAULT_CONFIG ((H)4) /* ABT_SCHED_CONFIG_NULL */
#define BASIC          1      /* ABT_SCHED_BASIC */
#define FIFO           0
#define MPMC           4 /* ABT_POOL_ACCESS_MPMC */
#define AUTOMATIC      1
#define N_ANY          20
#define SUCCESS        0
#define MIGRATION_NA   49

struct parts {
	int ranks[2], n, may_end;
};

static int n_migrated;

static void note(struct parts *parts)
{
	H self;
	ABT_xstream_self(&self);
	ABT_xstream_get_rank(self, &parts->ranks[parts->n]);
	__atomic_store_n(&parts->n, parts->n + 1, __ATOMIC_RELEASE);
}

/* Two parts, the second one when it was told to. */
static void two_parts(void *argument)
{
	struct parts *parts = argument;
	note(parts);
	do
		ABT_thread_yield();
	while (!__atomic_load_n(&parts->may_end, __ATOMIC_ACQUIRE));
	note(parts);
	ABT_thread_yield(); /* tells the pool */
}

static void on_migration(H unit, void *argument)
{
	__atomic_fetch_add(&n_migrated, 1, __ATOMIC_RELEASE);
	(void)unit;
	(void)argument;
}

static int to_xstream(H unit, H xstream)
{
	return ABT_thread_migrate_to_xstream(unit, xstream);
}

static int to_sched(H unit, H xstream)
{
	H sched;
	ABT_xstream_get_main_sched(xstream, &sched);
	return ABT_thread_migrate_to_sched(unit, sched);
}

static int to_pool(H unit, H xstream)
{
	H pool;
	ABT_xstream_get_main_pools(xstream, 1, &pool);
	return ABT_thread_migrate_to_pool(unit, pool);
}

static int to_any(H unit, H xstream)
{
	(void)xstream;
	return ABT_thread_migrate(unit);
}

/* The first part runs on the stream that has the pool, or on one of those that share it. */
static void move(const char *name, H pool, int (*how)(H, H), H xstream, int wanted)
{
	static struct parts parts;
	H unit;
	parts = (struct parts){.n = 0};
	ABT_thread_create(pool, two_parts, &parts, DEFAULT, &unit);
	ABT_thread_set_callback(unit, on_migration, NULL);
	while (__atomic_load_n(&parts.n, __ATOMIC_ACQUIRE) == 0)
		ABT_thread_yield();
	int before = n_migrated, rc = how(unit, xstream);
	while (rc == SUCCESS && __atomic_load_n(&n_migrated, __ATOMIC_ACQUIRE) == before)
		ABT_thread_yield();
	__atomic_store_n(&parts.may_end, 1, __ATOMIC_RELEASE);
	ABT_thread_free(&unit);
	printf("%s %d %d\n", name, parts.ranks[0], parts.ranks[1]);
	if (rc != wanted) {
		fprintf(stderr, "%s: %d\n", name, rc);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	(void)argv;
	H self, pool, shared, other, sharers[2];
	ABT_init(0, NULL);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	ABT_xstream_create(DEFAULT_SCHED, &other);
	move("to_xstream", pool, to_xstream, other, SUCCESS);
	move("to_sched", pool, to_sched, other, SUCCESS);
	move("to_pool", pool, to_pool, other, SUCCESS);
	move("refused", pool, to_any, other, MIGRATION_NA);
	int n_any = argc > 1 ? 0 : N_ANY;
	ABT_pool_create_basic(FIFO, MPMC, AUTOMATIC, &shared);
	for (int i = 0; i < 2; i++)
		ABT_xstream_create_basic(BASIC, 1, &shared, DEFAULT_CONFIG, &sharers[i]);
	for (int i = 0; i < n_any; i++)
		move("to_any", shared, to_any, NULL, SUCCESS);
	for (int i = 0; i < 2; i++) {
		ABT_xstream_join(sharers[i]);
		ABT_xstream_free(&sharers[i]);
	}
	ABT_xstream_join(other);
	ABT_xstream_free(&other);
	ABT_finalize();
	return n_migrated == 3 + n_any ? 0 : 2;
}
