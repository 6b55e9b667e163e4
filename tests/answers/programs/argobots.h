/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of this folder that use Argobots take of it, and two execution streams that share a pool. Each unit
 * is busy for so many us as its argument says.
 */
#ifndef OTTER_TESTS_ANSWERS_ARGOBOTS_H
#define OTTER_TESTS_ANSWERS_ARGOBOTS_H

#include "busy.h"

#include <stdint.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_xstream_create_basic(int, int, H *, H, H *), ABT_xstream_join(H), ABT_xstream_free(H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_join(H), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_mutex_create(H *), ABT_mutex_free(H *), ABT_mutex_lock(H), ABT_mutex_unlock(H);
int ABT_eventual_create(int, H *), ABT_eventual_free(H *), ABT_eventual_set(H, void *, int), ABT_eventual_wait(H, void **);
int ABT_barrier_create(uint32_t, H *), ABT_barrier_free(H *), ABT_barrier_wait(H);
int ABT_pool_create_basic(int, int, int, H *);

#define DEFAULT ((H)9) /* ABT_THREAD_ATTR_NULL */
#define CONFIG  ((H)4) /* ABT_SCHED_CONFIG_NULL */

static H shared, second; /* the first stream's pool, which both look into, and the second stream */

/* The library, and a second stream that takes units from `pool`, the first one's if that is NULL. */
static inline void begin_streams(H pool)
{
	H self;
	ABT_init(0, NULL);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &shared);
	H of_second = pool != NULL ? pool : shared;
	ABT_xstream_create_basic(0, 1, &of_second, CONFIG, &second);
}

static inline void end_streams(void)
{
	ABT_xstream_join(second);
	ABT_xstream_free(&second);
	ABT_finalize();
}

static inline H run_unit(H pool, void (*function)(void *), intptr_t argument)
{
	H unit;
	ABT_thread_create(pool, function, (void *)argument, DEFAULT, &unit);
	return unit;
}

static inline void join_all(H *units, int n)
{
	for (int i = 0; i < n; i++)
		ABT_thread_free(&units[i]);
}

#endif
