/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread is in one construct that is about a device, again and again for a while: offload CONSTRUCT [MILLISECONDS]. For clang with the host's own
 * processor as device; tests/sampling.py says in which state the runtime has the thread meanwhile. Prints "ok".
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N (1 << 20)

static int data[N];
static double seconds = 0.2;

/* Kernels have no clock: as much work as takes a tenth of the time. */
static long n_steps;

static void measure_steps(void)
{
	double begin = omp_get_wtime();
	volatile unsigned x = 1;
	for (n_steps = 0; omp_get_wtime() - begin < seconds / 10; n_steps += 1000)
		for (int i = 0; i < 1000; i++)
			x = x * 3 + 1;
}

static void target(void)
{
	long n = n_steps;
#pragma omp target firstprivate(n)
	{
		volatile unsigned x = 1;
		for (long i = 0; i < n; i++)
			x = x * 3 + 1;
	}
}

static void target_in_parallel(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	target();
}

static void target_teams(void)
{
	long n = n_steps;
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(2) firstprivate(n)
	for (int k = 0; k < 2; k++) {
		volatile unsigned x = 1;
		for (long i = 0; i < n; i++)
			x = x * 3 + 1;
	}
}

/* The target task runs on a thread of the runtime's own; this one waits for it. */
static void target_nowait(void)
{
	long n = n_steps;
#pragma omp parallel num_threads(1)
	{
#pragma omp target firstprivate(n) nowait
		{
			volatile unsigned x = 1;
			for (long i = 0; i < n; i++)
				x = x * 3 + 1;
		}
#pragma omp taskwait
	}
}

static void map(void)
{
#pragma omp target enter data map(to : data)
#pragma omp target exit data map(from : data)
}

static void update(void)
{
#pragma omp target update to(data)
#pragma omp target update from(data)
}

static void memcpy_routine(void)
{
	int device = omp_get_default_device(), host = omp_get_initial_device();
	void *copy = omp_target_alloc(sizeof data, device);
	omp_target_memcpy(copy, data, sizeof data, 0, 0, device, host);
	omp_target_free(copy, device);
}

static const struct {
	const char *name;
	void (*run)(void);
} constructs[] = {{"target", target},
		  {"target_in_parallel", target_in_parallel},
		  {"target_teams", target_teams},
		  {"target_nowait", target_nowait},
		  {"map", map},
		  {"update", update},
		  {"memcpy", memcpy_routine}};

int main(int argc, char **argv)
{
	if (argc > 2)
		seconds = atof(argv[2]) / 1e3;
	measure_steps();
#pragma omp target enter data map(to : data)
	if (argc > 1 && strcmp(argv[1], "map") == 0) {
#pragma omp target exit data map(delete : data)
	}
	for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
		if (argc < 2 || strcmp(constructs[i].name, argv[1]) != 0)
			continue;
		double end = omp_get_wtime() + seconds;
		while (omp_get_wtime() < end)
			constructs[i].run();
		puts("ok");
		return 0;
	}
	fputs("offload CONSTRUCT [MILLISECONDS]\n", stderr);
	return 2;
}
