/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/device/program.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "tests/device/fake_runtime.h"

#define N_HOSTS 4

/* A played device is one thread's at a time. */
static pthread_mutex_t of_device[N_DEVICES] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t all_are_there;
static unsigned n_hosts_left = N_HOSTS;
static unsigned n_each;

/* The transfers of both ways and a kernel between them, of which the device tells twice: in OpenMP's words, and where it was in its own. */
static void offload_at(int device, uint64_t hwid, unsigned n)
{
	pthread_mutex_lock(&of_device[device]);
	ompt_data_t target = program_target_region(device);
	pthread_mutex_unlock(&of_device[device]);
	struct fake_activity to =
		program_data_op(device, &target, ompt_target_data_transfer_to_device, HOST_NUMBER, device, 100 * hwid + n);
	struct fake_activity run = program_kernel(device, &target, 4, (unsigned)hwid);
	struct fake_activity from =
		program_data_op(device, &target, ompt_target_data_transfer_from_device, device, HOST_NUMBER, n + 1);
	pthread_mutex_lock(&of_device[device]);
	program_end_target_region(device, &target);
	program_see_kernel(&run);
	run.type = "dispatch";
	run.hwid = hwid;
	program_see_native(&run);
	program_see_data(&from);
	program_see_data(&to);
	pthread_mutex_unlock(&of_device[device]);
}

static void *host(void *argument)
{
	unsigned number = *(const unsigned *)argument;
	pthread_barrier_wait(&all_are_there);
	runtime_begin_root();
	for (unsigned i = 0; i < n_each; i++)
		offload_at((int)((i + number) % N_DEVICES), 10 + number, i);
	runtime_end_root();
	__atomic_fetch_sub(&n_hosts_left, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *herald(void *argument)
{
	int device = *(const int *)argument;
	const struct timespec pause = {.tv_nsec = 100000};
	pthread_barrier_wait(&all_are_there);
	for (unsigned i = 0; __atomic_load_n(&n_hosts_left, __ATOMIC_ACQUIRE) > 0; i++) {
		pthread_mutex_lock(&of_device[device]);
		fake_complete(device, i % 4 == 3);
		pthread_mutex_unlock(&of_device[device]);
		nanosleep(&pause, NULL);
	}
	fake_complete(device, true);
	return NULL;
}

void program_crowd(unsigned n)
{
	static unsigned numbers[N_HOSTS];
	static int devices[N_DEVICES];
	pthread_t threads[N_HOSTS + N_DEVICES];
	n_each = n;
	int failed = pthread_barrier_init(&all_are_there, NULL, N_HOSTS + N_DEVICES);
	for (unsigned i = 0; i < N_HOSTS; i++) {
		numbers[i] = i;
		failed |= pthread_create(&threads[i], NULL, host, &numbers[i]);
	}
	for (int i = 0; i < N_DEVICES; i++) {
		devices[i] = i;
		failed |= pthread_create(&threads[N_HOSTS + i], NULL, herald, &devices[i]);
	}
	if (failed)
		exit(1);
	for (unsigned i = 0; i < N_HOSTS + N_DEVICES; i++)
		pthread_join(threads[i], NULL);
}
