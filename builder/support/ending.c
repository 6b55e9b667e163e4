/* SPDX-License-Identifier: BSD-3-Clause
 *
 * SIGTERM, SIGINT and SIGHUP are taken by a thread that only waits for them: removing a directory takes memory and
 * locks, which a signal handler may not take. SIGBUS is delivered to the thread that read a mapped dump, which holds no
 * lock of libc meanwhile, and is handled there. SIGXFSZ is ignored: where a file may not grow, its write fails.
 */
#include "builder/support/output.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/*
 * Dumps are mapped: the kernel sends SIGBUS if a page of one cannot be read, because the file was cut, or its disk
 * failed. Nothing can replace the page. One thread cleans up, while any others wait in output_abandon.
 */
static void end_unreadable(int signal, siginfo_t *info, void *context)
{
	static const char text[] = "otter-build: a file of a dump was cut, or could not be read, while it was being looked at\n";
	(void)signal;
	(void)context;
	if (info->si_code == BUS_ADRERR)
		output_abandon();
	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(output_abandon_status);
	_exit(output_abandon_status);
}

/*
 * The process that started the builder sees that the signal ended it: the signal is sent again, and finds its default
 * disposition.
 */
static void *wait_for_end(void *signals)
{
	int signal;
	if (sigwait(signals, &signal) != 0)
		return NULL;
	output_abandon();
	sigset_t this_one;
	sigemptyset(&this_one);
	sigaddset(&this_one, signal);
	pthread_sigmask(SIG_UNBLOCK, &this_one, NULL);
	raise(signal);
	return NULL;
}

void ending_prepare(void)
{
	static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
	static sigset_t signals;
	struct sigaction unreadable = {.sa_sigaction = end_unreadable, .sa_flags = SA_SIGINFO}, before;
	sigaction(SIGBUS, &unreadable, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its write */
	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) /* what nohup, say, made ignored stays so */
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaddset(&signals, ends[i]);
	/* All threads inherit the mask: no other than this one gets the signals. */
	sigset_t mask;
	pthread_sigmask(SIG_BLOCK, &signals, &mask);
	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN + 65536);
	if (pthread_create(&thread, &small, wait_for_end, &signals) != 0)
		pthread_sigmask(SIG_SETMASK, &mask, NULL); /* without it the signals end the process as ever */
	else
		pthread_detach(thread);
	pthread_attr_destroy(&small);
}
