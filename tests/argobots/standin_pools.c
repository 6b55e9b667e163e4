/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pools: first in, first out.
 */
#include "tests/argobots/standin.h"

#include <stdlib.h>

static void push(struct pool *pool, struct unit *unit)
{
	pthread_mutex_lock(&pool->lock);
	unit->next = NULL;
	*(pool->first ? &pool->last->next : &pool->first) = unit;
	pool->last = unit;
	pthread_mutex_unlock(&pool->lock);
}

struct unit *pool_pop(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	struct unit *unit = pool->first;
	if (unit)
		pool->first = unit->next;
	pthread_mutex_unlock(&pool->lock);
	return unit;
}

/* Takes a unit out of the middle. */
bool pool_take(struct pool *pool, struct unit *unit)
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

struct pool *pool_new(void)
{
	struct pool *pool = calloc(1, sizeof *pool);
	pthread_mutex_init(&pool->lock, NULL);
	return pool;
}

/* Of units that are in it; who is blocked is not. */
bool pool_is_empty(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	bool is_empty = pool->first == NULL;
	pthread_mutex_unlock(&pool->lock);
	return is_empty;
}

int ABT_pool_create_basic(int kind, int access, int is_automatic, struct pool **pool)
{
	(void)kind;
	(void)access;
	(void)is_automatic;
	*pool = pool_new();
	return ABT_SUCCESS;
}
