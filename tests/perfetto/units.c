/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units of Argobots on one execution stream, of which the text says who lets whom go on: in five rounds the holder of a mutex, who
 * yields with it, lets go on who wants it; in five, who sets an eventual lets go on who waits for it; and five units end that
 * the primary unit waits for alone.
 */
#include <stddef.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_mutex_create(H *), ABT_mutex_free(H *), ABT_mutex_lock(H), ABT_mutex_unlock(H);
int ABT_eventual_create(int, H *), ABT_eventual_free(H *), ABT_eventual_set(H, void *, int), ABT_eventual_wait(H, void **);

#define DEFAULT ((H)9) /* ABT_THREAD_ATTR_NULL */

static H pool;

static void holder(void *mutex)
{
	ABT_mutex_lock(mutex);
	ABT_thread_yield();
	ABT_mutex_unlock(mutex);
}

static void wanter(void *mutex)
{
	ABT_mutex_lock(mutex);
	ABT_mutex_unlock(mutex);
}

static void waiter(void *eventual)
{
	ABT_eventual_wait(eventual, NULL);
}

static void setter(void *eventual)
{
	ABT_eventual_set(eventual, NULL, 0);
}

static void alone(void *unused)
{
	(void)unused;
}

static void run_both(void (*first)(void *), void (*second)(void *), H argument)
{
	H units[2];
	ABT_thread_create(pool, first, argument, DEFAULT, &units[0]);
	ABT_thread_create(pool, second, argument, DEFAULT, &units[1]);
	ABT_thread_free(&units[0]);
	ABT_thread_free(&units[1]);
}

int main(void)
{
	H self, mutex, eventual, unit;
	ABT_init(0, NULL);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	for (int i = 0; i < 5; i++) {
		ABT_mutex_create(&mutex);
		run_both(holder, wanter, mutex);
		ABT_mutex_free(&mutex);
		ABT_eventual_create(0, &eventual);
		run_both(waiter, setter, eventual);
		ABT_eventual_free(&eventual);
		ABT_thread_create(pool, alone, NULL, DEFAULT, &unit);
		ABT_thread_free(&unit);
	}
	ABT_finalize();
	return 0;
}
