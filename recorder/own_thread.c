/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorder/own_thread.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (256 << 10)

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1u << 1) /* Linux 5.9 */
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static cpu_set_t process_affinity;
static bool has_affinity;
static sigset_t all_signals; /* not on the stack of who starts a thread */

void own_thread_prepare(void)
{
	sigfillset(&all_signals);
	has_affinity = sched_getaffinity(0, sizeof process_affinity, &process_affinity) == 0;
}

uint32_t own_thread_processors(void)
{
	return has_affinity ? (uint32_t)CPU_COUNT(&process_affinity) : 0;
}

bool own_thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
	sigset_t before;
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all_signals, &before);
	int error = pthread_create(thread, &attributes, main, argument);
	if (error) { /* a program with much TLS does not fit into a small stack */
		pthread_attr_setstacksize(&attributes, 8u << 20);
		error = pthread_create(thread, &attributes, main, argument);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

/* From here on the thread has an empty table of descriptors of its own. A program that closes all of its descriptors
 * cannot close ours after we opened a file and before we write, and so have our bytes in the file that gets the number.
 * Nor does this thread need a descriptor if the program has none left. Older kernels refuse, and then the table stays
 * the program's. */
static void leave_descriptors(void)
{
	syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE);
}

void own_thread_begin(const char *name)
{
	leave_descriptors();
	if (has_affinity)
		sched_setaffinity(0, sizeof process_affinity, &process_affinity);
	prctl(PR_SET_NAME, name);
}
