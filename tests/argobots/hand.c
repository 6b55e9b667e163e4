/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two units hand over to each other, past the scheduler, which no event tells but the answer to one question; and tasklets without a name, which the
 * scheduler frees. Own declarations, so that it is built without Argobots and runs on the library or on the stand-in (which has ABT_self_yield_to alone).
 */
#include <stddef.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);
int ABT_task_create(H, void (*)(void *), void *, H *);
__attribute__((weak)) int ABT_self_yield_to(H), ABT_thread_yield_to(H);

#define DEFAULT    ((H)9) /* ABT_THREAD_ATTR_NULL */
#define N_TURNS    50
#define N_TASKLETS 100

static H units[2];
static int n_tasklets, n_ended;

static void play(void *argument)
{
	size_t side = (size_t)argument;
	ABT_thread_yield(); /* from here on the scheduler is known */
	ABT_thread_yield();
	for (int i = 0; i < N_TURNS && n_ended == 0; i++) {
		if (ABT_thread_yield_to)
			ABT_thread_yield_to(units[!side]);
		else
			ABT_self_yield_to(units[!side]);
	}
	n_ended++;
}

static void count(void *argument)
{
	(void)argument;
	n_tasklets++;
}

int main(void)
{
	H self, pool;
	ABT_init(0, NULL);
	ABT_xstream_self(&self);
	ABT_xstream_get_main_pools(self, 1, &pool);
	for (size_t side = 0; side < 2; side++)
		ABT_thread_create(pool, play, (void *)side, DEFAULT, &units[side]);
	for (size_t side = 0; side < 2; side++)
		ABT_thread_free(&units[side]);
	for (int i = 0; i < N_TASKLETS; i++)
		ABT_task_create(pool, count, NULL, NULL);
	while (n_tasklets < N_TASKLETS)
		ABT_thread_yield();
	return ABT_finalize();
}
