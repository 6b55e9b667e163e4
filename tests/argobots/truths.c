/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small programs of which the text says what a graph of units must and must not show. The argument chooses one:
 *   lives     the library four times on one thread, each time with a unit that works
 *   threads   the same on two threads, one after the other
 *   external  a thread that is no execution stream works, creates a unit, and waits for it
 *   muted     two units that have not run, and one that has yielded, when ABT_finalize is called
 *   yields    a unit yields 500 times, and works in between
 *   mutex     a unit has a mutex for a while, and another one on another execution stream wants it
 * Prints how many units came to their ends.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_xstream_create(H, H *), ABT_xstream_join(H), ABT_xstream_free(H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_mutex_create(H *), ABT_mutex_free(H *), ABT_mutex_lock(H), ABT_mutex_unlock(H);

#define DEFAULT  ((H)9) /* ABT_THREAD_ATTR_NULL */
#define SCHED    ((H)3) /* ABT_SCHED_NULL */
#define N_YIELDS 500

static int n_ended, has_mutex, wants_mutex;
static H mutex;

static H own_pool(void)
{
	H self, pool;
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	return pool;
}

static void end(void)
{
	__atomic_fetch_add(&n_ended, 1, __ATOMIC_SEQ_CST);
}

static void work(void *argument)
{
	static volatile int sum;
	(void)argument;
	for (int i = 0; i < 2000000; i++)
		sum = sum + i;
	end();
}

static void yield_once(void *argument)
{
	ABT_thread_yield();
	end();
	(void)argument;
}

static void yield_often(void *argument)
{
	static volatile int sum;
	for (int i = 0; i < N_YIELDS; i++) {
		for (int k = 0; k < 1000; k++)
			sum = sum + k;
		ABT_thread_yield();
	}
	end();
	(void)argument;
}

static void holder(void *argument)
{
	ABT_mutex_lock(mutex);
	__atomic_store_n(&has_mutex, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&wants_mutex, __ATOMIC_SEQ_CST))
		usleep(100);
	usleep(20000);
	ABT_mutex_unlock(mutex);
	end();
	(void)argument;
}

static void waiter(void *argument)
{
	while (!__atomic_load_n(&has_mutex, __ATOMIC_SEQ_CST))
		usleep(100);
	__atomic_store_n(&wants_mutex, 1, __ATOMIC_SEQ_CST);
	ABT_mutex_lock(mutex);
	ABT_mutex_unlock(mutex);
	end();
	(void)argument;
}

static void run_one(void (*function)(void *), H pool)
{
	H unit;
	ABT_thread_create(pool, function, NULL, DEFAULT, &unit);
	ABT_thread_free(&unit);
}

static void *one_life(void *argument)
{
	ABT_init(0, NULL);
	run_one(work, own_pool());
	ABT_finalize();
	return argument;
}

static void *external(void *pool)
{
	work(NULL);
	run_one(work, pool);
	return NULL;
}

static void with_stream(void (*first)(void *), void (*second)(void *))
{
	H stream, pool, units[2];
	pthread_t thread;
	ABT_init(0, NULL);
	ABT_xstream_create(SCHED, &stream);
	ABT_xstream_get_main_pools(stream, 1, &pool);
	if (!second) {
		pthread_create(&thread, NULL, external, pool);
		pthread_join(thread, NULL);
	} else {
		ABT_mutex_create(&mutex);
		ABT_thread_create(pool, first, NULL, DEFAULT, &units[0]);
		ABT_thread_create(own_pool(), second, NULL, DEFAULT, &units[1]);
		ABT_thread_free(&units[1]);
		ABT_thread_free(&units[0]);
		ABT_mutex_free(&mutex);
	}
	ABT_xstream_join(stream);
	ABT_xstream_free(&stream);
	ABT_finalize();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;
	H unit;
	if (strcmp(what, "lives") == 0) {
		for (int i = 0; i < 4; i++)
			one_life(NULL);
	} else if (strcmp(what, "threads") == 0) {
		for (int i = 0; i < 2; i++) {
			pthread_create(&thread, NULL, one_life, NULL);
			pthread_join(thread, NULL);
		}
	} else if (strcmp(what, "external") == 0) {
		with_stream(NULL, NULL);
	} else if (strcmp(what, "muted") == 0) {
		ABT_init(0, NULL);
		ABT_thread_create(own_pool(), yield_once, NULL, DEFAULT, NULL);
		ABT_thread_yield();
		for (int i = 0; i < 2; i++)
			ABT_thread_create(own_pool(), work, NULL, DEFAULT, i == 0 ? &unit : NULL);
		ABT_finalize();
	} else if (strcmp(what, "yields") == 0) {
		ABT_init(0, NULL);
		run_one(yield_often, own_pool());
		ABT_finalize();
	} else if (strcmp(what, "mutex") == 0) {
		with_stream(holder, waiter);
	} else {
		return 2;
	}
	printf("%d\n", n_ended);
	return 0;
}
