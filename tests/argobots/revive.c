/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Execution streams that are joined and revived, several times, and run units each time. Argument: "kill" ends the process in a unit of
 * the second time.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef void *H;
int ABT_init(int, char **), ABT_finalize(void), ABT_xstream_create(H, H *), ABT_xstream_join(H), ABT_xstream_free(H *),
	ABT_xstream_revive(H);
int ABT_xstream_get_main_pools(H, int, H *), ABT_thread_create(H, void (*)(void *), void *, H, H *), ABT_thread_free(H *);

#define DEFAULT   ((H)9) /* ABT_THREAD_ATTR_NULL */
#define SCHED     ((H)3) /* ABT_SCHED_NULL */
#define N_STREAMS 3
#define N_TIMES   4
#define N_UNITS   5

static int total, ends_here;

static void unit(void *argument)
{
	(void)argument;
	if (__atomic_add_fetch(&total, 1, __ATOMIC_RELAXED) == ends_here)
		raise(SIGKILL);
}

int main(int argc, char **argv)
{
	H streams[N_STREAMS], pool, units[N_UNITS];
	ends_here = argc > 1 && strcmp(argv[1], "kill") == 0 ? N_STREAMS * N_UNITS + 2 : 0;
	ABT_init(argc, argv);
	for (int time = 0; time < N_TIMES; time++)
		for (int i = 0; i < N_STREAMS; i++) {
			if (time == 0)
				ABT_xstream_create(SCHED, &streams[i]);
			else
				ABT_xstream_revive(streams[i]);
			ABT_xstream_get_main_pools(streams[i], 1, &pool);
			for (int u = 0; u < N_UNITS; u++)
				ABT_thread_create(pool, unit, NULL, DEFAULT, &units[u]);
			for (int u = 0; u < N_UNITS; u++)
				ABT_thread_free(&units[u]);
			ABT_xstream_join(streams[i]);
		}
	for (int i = 0; i < N_STREAMS; i++)
		ABT_xstream_free(&streams[i]);
	printf("%d\n", total);
	return ABT_finalize();
}
