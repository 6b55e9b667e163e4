/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Units that yield while OpenMP has something open on their thread: its initial task everywhere, a region and a task of it in some. (Never in two at
 * once: OpenMP's runtime does not know that a thread may do several things in turns, and waits forever.)
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_self(H *), ABT_xstream_get_main_pools(H, int, H *);
int ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *), ABT_thread_yield(void);

#define DEFAULT ((H)9) /* ABT_THREAD_ATTR_NULL */
#define CHECK(x)                                                                                                                   \
	do {                                                                                                                       \
		if (!(x)) {                                                                                                        \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                                    \
			exit(1);                                                                                                   \
		}                                                                                                                  \
	} while (0)

static int n_plain, n_region, n_task;

static void plain(void *arg)
{
	(void)arg;
	CHECK(ABT_thread_yield() == 0);
	n_plain++;
}

/* The first thread of the region yields in it; plain units run meanwhile. */
static void region(void *arg)
{
	(void)arg;
#pragma omp parallel num_threads(2)
	{
#pragma omp masked
		{
			CHECK(ABT_thread_yield() == 0);
			n_region++;
		}
#pragma omp barrier
	}
}

/* The same in a task. */
static void task(void *arg)
{
	(void)arg;
#pragma omp parallel num_threads(2)
#pragma omp masked
#pragma omp task if (0)
	{
		CHECK(ABT_thread_yield() == 0);
		n_task++;
	}
}

int main(int argc, char **argv)
{
	CHECK(ABT_init(argc, argv) == 0);
	CHECK(omp_get_num_threads() == 1);
	H pool;
	H self;
	CHECK(ABT_xstream_self(&self) == 0);
	CHECK(ABT_xstream_get_main_pools(self, 1, &pool) == 0);
	for (int i = 0; i < 20; i++) {
		void (*const bodies[])(void *) = {plain, i % 2 == 0 ? region : task, plain};
		H units[3];
		for (int j = 0; j < 3; j++)
			CHECK(ABT_thread_create(pool, bodies[j], NULL, DEFAULT, &units[j]) == 0);
		for (int j = 0; j < 3; j++)
			CHECK(ABT_thread_free(&units[j]) == 0);
	}
	CHECK(n_plain == 40 && n_region == 10 && n_task == 10);
	CHECK(ABT_finalize() == 0);
	return 0;
}
