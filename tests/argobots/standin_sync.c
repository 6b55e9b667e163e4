/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What units wait for: mutexes, conditions, eventuals, futures, barriers, readers-writer locks. A waiter is a unit, which blocks, or an external
 * thread, which spins.
 */
#include "tests/argobots/standin.h"

#include <sched.h>
#include <stdlib.h>

struct waiter {
	struct unit *unit; /* NULL: external */
	bool is_woken;
	struct waiter *next;
};

struct waiters {
	pthread_mutex_t lock;
	struct waiter *first;
};

/* Version 1.1 has one kind of waiters' list, and calls whatever waits there an eventual. */
static enum sync listed_as(enum sync sync)
{
	return is_v11 && sync != SYNC_MUTEX ? SYNC_EVENTUAL : sync;
}

/* With the list locked, which is unlocked: from then on the waiter can be woken. */
static void wait_in(struct waiters *waiters, enum sync sync, void *object)
{
	struct unit *self = unit_self();
	struct waiter waiter = {.unit = self};
	struct waiter **end = &waiters->first;
	while (*end)
		end = &(*end)->next;
	*end = &waiter;
	if (self)
		report(SUSPEND, self, here(),
		       (struct context){.pool = self->pool, .depth = (int)self->depth, .sync = listed_as(sync), .object = object});
	pthread_mutex_unlock(&waiters->lock);
	if (self)
		unit_block();
	while (!self && !__atomic_load_n(&waiter.is_woken, __ATOMIC_ACQUIRE))
		sched_yield();
}

/* With the list locked. */
static bool wake_one(struct waiters *waiters)
{
	struct waiter *waiter = waiters->first;
	if (!waiter)
		return false;
	waiters->first = waiter->next;
	if (waiter->unit)
		unit_resume(waiter->unit);
	else
		__atomic_store_n(&waiter->is_woken, true, __ATOMIC_RELEASE);
	return true;
}

/* ---- Mutex ---- */

struct mutex {
	struct waiters waiters;
	bool is_locked;
};

int ABT_mutex_create(struct mutex **mutex)
{
	*mutex = calloc(1, sizeof **mutex);
	return pthread_mutex_init(&(*mutex)->waiters.lock, NULL);
}

int ABT_mutex_free(struct mutex **mutex)
{
	free(*mutex);
	*mutex = NULL;
	return ABT_SUCCESS;
}

int ABT_mutex_lock(struct mutex *mutex)
{
	for (;;) {
		pthread_mutex_lock(&mutex->waiters.lock);
		if (!mutex->is_locked)
			break;
		if (is_v11 && unit_self()) { /* polls */
			pthread_mutex_unlock(&mutex->waiters.lock);
			unit_yield(SYNC_MUTEX, mutex);
		} else {
			wait_in(&mutex->waiters, SYNC_MUTEX, mutex);
		}
	}
	mutex->is_locked = true;
	pthread_mutex_unlock(&mutex->waiters.lock);
	return ABT_SUCCESS;
}

int ABT_mutex_trylock(struct mutex *mutex)
{
	pthread_mutex_lock(&mutex->waiters.lock);
	bool was_locked = mutex->is_locked;
	mutex->is_locked = true;
	pthread_mutex_unlock(&mutex->waiters.lock);
	return was_locked ? ABT_ERR_MUTEX_LOCKED : ABT_SUCCESS;
}

int ABT_mutex_unlock(struct mutex *mutex)
{
	pthread_mutex_lock(&mutex->waiters.lock);
	mutex->is_locked = false;
	while (wake_one(&mutex->waiters)) /* all of them: who runs first has it */
		;
	pthread_mutex_unlock(&mutex->waiters.lock);
	return ABT_SUCCESS;
}

/* ---- Condition ---- */

struct cond {
	struct waiters waiters;
};

int ABT_cond_create(struct cond **cond)
{
	*cond = calloc(1, sizeof **cond);
	return pthread_mutex_init(&(*cond)->waiters.lock, NULL);
}

int ABT_cond_free(struct cond **cond)
{
	free(*cond);
	*cond = NULL;
	return ABT_SUCCESS;
}

int ABT_cond_wait(struct cond *cond, struct mutex *mutex)
{
	pthread_mutex_lock(&cond->waiters.lock);
	ABT_mutex_unlock(mutex);
	wait_in(&cond->waiters, SYNC_COND, cond);
	return ABT_mutex_lock(mutex);
}

int ABT_cond_signal(struct cond *cond)
{
	pthread_mutex_lock(&cond->waiters.lock);
	wake_one(&cond->waiters);
	pthread_mutex_unlock(&cond->waiters.lock);
	return ABT_SUCCESS;
}

int ABT_cond_broadcast(struct cond *cond)
{
	pthread_mutex_lock(&cond->waiters.lock);
	while (wake_one(&cond->waiters))
		;
	pthread_mutex_unlock(&cond->waiters.lock);
	return ABT_SUCCESS;
}

/* ---- Eventual and future: set once, or when all parts are; a barrier begins anew ---- */

struct gate {
	struct waiters waiters;
	enum sync sync;
	uint32_t n_wanted, n_come;
};

static int gate_create(struct gate **gate, enum sync sync, uint32_t n_wanted)
{
	*gate = calloc(1, sizeof **gate);
	(*gate)->sync = sync;
	(*gate)->n_wanted = n_wanted;
	return pthread_mutex_init(&(*gate)->waiters.lock, NULL);
}

static int gate_free(struct gate **gate)
{
	free(*gate);
	*gate = NULL;
	return ABT_SUCCESS;
}

static int gate_come(struct gate *gate)
{
	pthread_mutex_lock(&gate->waiters.lock);
	if (++gate->n_come >= gate->n_wanted)
		while (wake_one(&gate->waiters))
			;
	pthread_mutex_unlock(&gate->waiters.lock);
	return ABT_SUCCESS;
}

static int gate_wait(struct gate *gate)
{
	pthread_mutex_lock(&gate->waiters.lock);
	if (gate->n_come < gate->n_wanted)
		wait_in(&gate->waiters, gate->sync, gate);
	else
		pthread_mutex_unlock(&gate->waiters.lock);
	return ABT_SUCCESS;
}

int ABT_eventual_create(int bytes, struct gate **eventual)
{
	(void)bytes;
	return gate_create(eventual, SYNC_EVENTUAL, 1);
}

int ABT_eventual_free(struct gate **eventual)
{
	return gate_free(eventual);
}

int ABT_eventual_set(struct gate *eventual, void *value, int bytes)
{
	(void)value;
	(void)bytes;
	return gate_come(eventual);
}

int ABT_eventual_wait(struct gate *eventual, void **value)
{
	if (value)
		*value = NULL;
	return gate_wait(eventual);
}

int ABT_eventual_reset(struct gate *eventual)
{
	pthread_mutex_lock(&eventual->waiters.lock);
	eventual->n_come = 0;
	pthread_mutex_unlock(&eventual->waiters.lock);
	return ABT_SUCCESS;
}

int ABT_future_create(uint32_t n_parts, void (*function)(void **), struct gate **future)
{
	(void)function;
	return gate_create(future, SYNC_FUTURE, n_parts);
}

int ABT_future_free(struct gate **future)
{
	return gate_free(future);
}

int ABT_future_set(struct gate *future, void *value)
{
	(void)value;
	return gate_come(future);
}

int ABT_future_wait(struct gate *future)
{
	return gate_wait(future);
}

int ABT_barrier_create(uint32_t n_waiters, struct gate **barrier)
{
	return gate_create(barrier, SYNC_BARRIER, n_waiters);
}

int ABT_barrier_free(struct gate **barrier)
{
	return gate_free(barrier);
}

int ABT_barrier_wait(struct gate *barrier)
{
	pthread_mutex_lock(&barrier->waiters.lock);
	if (++barrier->n_come < barrier->n_wanted) {
		wait_in(&barrier->waiters, SYNC_BARRIER, barrier);
		return ABT_SUCCESS;
	}
	barrier->n_come = 0;
	while (wake_one(&barrier->waiters))
		;
	pthread_mutex_unlock(&barrier->waiters.lock);
	return ABT_SUCCESS;
}

/* ---- Readers-writer lock: shows as the mutex and the condition inside of it ---- */

struct rwlock {
	struct mutex mutex;
	struct cond cond;
	unsigned n_readers;
	bool is_written;
};

int ABT_rwlock_create(struct rwlock **rwlock)
{
	*rwlock = calloc(1, sizeof **rwlock);
	pthread_mutex_init(&(*rwlock)->mutex.waiters.lock, NULL);
	return pthread_mutex_init(&(*rwlock)->cond.waiters.lock, NULL);
}

int ABT_rwlock_free(struct rwlock **rwlock)
{
	free(*rwlock);
	*rwlock = NULL;
	return ABT_SUCCESS;
}

int ABT_rwlock_rdlock(struct rwlock *rwlock)
{
	ABT_mutex_lock(&rwlock->mutex);
	while (rwlock->is_written)
		ABT_cond_wait(&rwlock->cond, &rwlock->mutex);
	rwlock->n_readers++;
	return ABT_mutex_unlock(&rwlock->mutex);
}

int ABT_rwlock_wrlock(struct rwlock *rwlock)
{
	ABT_mutex_lock(&rwlock->mutex);
	while (rwlock->is_written || rwlock->n_readers)
		ABT_cond_wait(&rwlock->cond, &rwlock->mutex);
	rwlock->is_written = true;
	return ABT_mutex_unlock(&rwlock->mutex);
}

int ABT_rwlock_unlock(struct rwlock *rwlock)
{
	ABT_mutex_lock(&rwlock->mutex);
	if (rwlock->is_written)
		rwlock->is_written = false;
	else
		rwlock->n_readers--;
	ABT_cond_broadcast(&rwlock->cond);
	return ABT_mutex_unlock(&rwlock->mutex);
}
