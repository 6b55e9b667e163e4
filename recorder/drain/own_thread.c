/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/drain/own_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "recorder/guard.h"
#include "recorder/system/away.h"
#include "recorder/system/sys.h"

#define STACK_BYTES (256 << 10)

static cpu_set_t process_affinity;
static bool has_affinity;

void own_thread_prepare(void)
{
	has_affinity = sys_getaffinity(0, &process_affinity, sizeof process_affinity) > 0;
}

uint32_t own_thread_processors(void)
{
	return has_affinity ? (uint32_t)CPU_COUNT(&process_affinity) : 0;
}

bool own_thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
	const uint64_t all = ~GUARD_LIBC_SIGNALS;
	uint64_t before;
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sys_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(thread, &attributes, main, argument);
	if (error) { /* a program with much TLS does not fit into a small stack */
		pthread_attr_setstacksize(&attributes, 8u << 20);
		error = pthread_create(thread, &attributes, main, argument);
	}
	sys_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

void own_thread_begin(const char *name)
{
	/* Otherwise a program that closes all of its descriptors could close ours between the opening of a file and the write,
	 * and the file that then gets the number would get our bytes. And this thread can open files even if the program has
	 * no descriptor left. Older kernels refuse, and then each file is opened as the program's threads do it. */
	away_for_ever();
	if (has_affinity)
		sys_setaffinity(&process_affinity);
	sys_name_thread(name);
}

uint64_t own_thread_processor_ns(uint32_t tid)
{
	/* Linux makes the number of a thread's clock from the thread's (CPUCLOCK_PERTHREAD_MASK | CPUCLOCK_SCHED of its sources). */
	return sys_clock_ns((clockid_t)(~tid << 3 | 6));
}

bool own_thread_sleep(uint32_t *futex, uint32_t value, uint64_t ns)
{
	return sys_futex_wait(futex, value, ns) != -ETIMEDOUT;
}

void own_thread_wake(uint32_t *futex)
{
	sys_futex_wake(futex);
}
