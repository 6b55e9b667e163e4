/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A timer's signal, handled on an alternate stack by what is itself OpenMP, while both threads make tasks:
 *
 *     handlers N     N signals, then the end; neither mask nor stack nor errno may have changed behind the program's back
 *
 * No construct waits in the handler: a lock of each thread's own, a flush.
 */
#include "tests/omp/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define STACK_BYTES (64 * 1024)

static _Thread_local omp_lock_t lock;
static _Thread_local volatile int has_lock;
static _Thread_local char stack[STACK_BYTES];
static int n_handled;

static void on_alarm(int number)
{
	int kept = errno;
	char here;
	(void)number;
	CHECK(&here >= stack && &here < stack + STACK_BYTES);
	if (has_lock) {
		omp_set_lock(&lock);
#pragma omp flush
		omp_unset_lock(&lock);
	}
	__atomic_fetch_add(&n_handled, 1, __ATOMIC_RELAXED);
	errno = kept;
}

static void settle(void)
{
	stack_t alternate = {.ss_sp = stack, .ss_size = STACK_BYTES};
	CHECK(sigaltstack(&alternate, NULL) == 0);
	omp_init_lock(&lock);
	has_lock = 1;
}

static void leave(void)
{
	stack_t now;
	sigset_t mask;
	has_lock = 0;
	CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == stack && now.ss_size == STACK_BYTES);
	CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && !sigismember(&mask, SIGALRM));
	omp_destroy_lock(&lock);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	int wanted = atoi(argv[1]), n_wrong = 0;
#pragma omp parallel num_threads(2)
	settle();
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
#pragma omp parallel num_threads(2) reduction(+ : n_wrong)
	{
		int n = 0;
		errno = 4711;
		while (__atomic_load_n(&n_handled, __ATOMIC_RELAXED) < wanted) {
			for (int i = 0; i < 20; i++) {
#pragma omp task shared(n)
				add(&n, 1);
			}
#pragma omp taskwait
		}
		n_wrong += errno != 4711;
	}
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
#pragma omp parallel num_threads(2)
	leave();
	printf("%s, errno changed in %d threads\n", n_handled >= wanted ? "handled" : "missed", n_wrong);
	return 0;
}
