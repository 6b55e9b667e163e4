/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What units wait for, one after the other, on one execution stream: what comes is the same in every run. Its logs from the library are
 * sync*.expect. Own declarations, so that it is built without Argobots and runs on the library or on the stand-in.
 */
#include <stdio.h>
#include <stdlib.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_mutex_create(H *), ABT_mutex_free(H *), ABT_mutex_lock(H), ABT_mutex_unlock(H);
int ABT_cond_create(H *), ABT_cond_free(H *), ABT_cond_wait(H, H), ABT_cond_signal(H), ABT_cond_broadcast(H);
int ABT_eventual_create(int, H *), ABT_eventual_free(H *), ABT_eventual_set(H, void *, int), ABT_eventual_wait(H, void **);
int ABT_future_create(unsigned, void (*)(void **), H *), ABT_future_free(H *), ABT_future_set(H, void *), ABT_future_wait(H);
int ABT_barrier_create(unsigned, H *), ABT_barrier_free(H *), ABT_barrier_wait(H);
int ABT_rwlock_create(H *), ABT_rwlock_free(H *), ABT_rwlock_rdlock(H), ABT_rwlock_wrlock(H), ABT_rwlock_unlock(H);

#define DEFAULT ((H)9) /* ABT_THREAD_ATTR_NULL */
#define N_UNITS 3

static H pool, mutex, cond, eventual, future, barrier, rwlock;
static int total, is_open;

static void in_mutex(void *argument)
{
	ABT_mutex_lock(mutex);
	total++;
	ABT_thread_yield();
	ABT_mutex_unlock(mutex);
	(void)argument;
}

static void in_cond(void *argument)
{
	ABT_mutex_lock(mutex);
	while (!is_open)
		ABT_cond_wait(cond, mutex);
	total++;
	ABT_mutex_unlock(mutex);
	(void)argument;
}

static void in_eventual(void *argument)
{
	ABT_eventual_wait(eventual, NULL);
	total++;
	(void)argument;
}

static void in_future(void *argument)
{
	ABT_future_set(future, NULL);
	ABT_future_wait(future);
	total++;
	(void)argument;
}

static void in_barrier(void *argument)
{
	ABT_barrier_wait(barrier);
	ABT_barrier_wait(barrier);
	total++;
	(void)argument;
}

static void in_rwlock(void *argument)
{
	if (argument)
		ABT_rwlock_wrlock(rwlock);
	else
		ABT_rwlock_rdlock(rwlock);
	total++;
	ABT_thread_yield();
	ABT_rwlock_unlock(rwlock);
}

/* Three units of it; `between` runs once all have had their turn. */
static void three(void (*function)(void *), void (*between)(void))
{
	H units[N_UNITS];
	for (int i = 0; i < N_UNITS; i++)
		ABT_thread_create(pool, function, i == 1 ? &total : NULL, DEFAULT, &units[i]);
	ABT_thread_yield();
	if (between)
		between();
	for (int i = 0; i < N_UNITS; i++)
		ABT_thread_free(&units[i]);
}

static void open_cond(void)
{
	ABT_mutex_lock(mutex);
	is_open = 1;
	ABT_cond_signal(cond);
	ABT_cond_broadcast(cond);
	ABT_mutex_unlock(mutex);
}

static void open_eventual(void)
{
	ABT_eventual_set(eventual, NULL, 0);
}

int main(void)
{
	H xstream;
	ABT_init(0, NULL);
	ABT_xstream_self(&xstream);
	ABT_xstream_get_main_pools(xstream, 1, &pool);
	ABT_mutex_create(&mutex);
	ABT_cond_create(&cond);
	ABT_eventual_create(0, &eventual);
	ABT_future_create(N_UNITS, NULL, &future);
	ABT_barrier_create(N_UNITS, &barrier);
	ABT_rwlock_create(&rwlock);
	three(in_mutex, NULL);
	three(in_cond, open_cond);
	three(in_eventual, open_eventual);
	three(in_future, NULL);
	three(in_barrier, NULL);
	three(in_rwlock, NULL);
	ABT_rwlock_free(&rwlock);
	ABT_barrier_free(&barrier);
	ABT_future_free(&future);
	ABT_eventual_free(&eventual);
	ABT_cond_free(&cond);
	ABT_mutex_free(&mutex);
	printf("total %d finalize %d\n", total, ABT_finalize());
	return total == 6 * N_UNITS ? 0 : 1;
}
