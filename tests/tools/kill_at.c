/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kills a program with SIGKILL at one of its system calls, so that every state which it leaves behind on the way can be tried:
 *
 *     kill_at NUMBER PROGRAM ARGUMENT...
 *
 * A moment is the begin or the end of a system call of any thread; they are counted from the first directory that the process makes, which
 * is a recorded program's dump. At the moment NUMBER the whole process dies (0: never), before the thread goes on. Standard output gets how
 * many moments there were until then, the number of the process, and its exit status, or the signal it died of as a negative number. Exit
 * status 0; 1 if the program could not be followed.
 */
#include "tests/tools/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define THREADS_MAX 4096
#define OPTIONS     (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

static _Bool makes_directory(pid_t thread)
{
	struct __ptrace_syscall_info info;
	return ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	       (info.entry.nr == SYS_mkdirat
#ifdef SYS_mkdir
		|| info.entry.nr == SYS_mkdir
#endif
	       );
}

/* Follows every thread until the process has ended, with *end. How many moments there were. */
static long follow(pid_t process, long last, int *end)
{
	long n_moments = 0;
	int status;
	for (;;) {
		pid_t thread = waitpid(-1, &status, __WALL);
		if (thread < 0)
			return n_moments; /* nobody is left */
		if (!WIFSTOPPED(status)) {
			if (thread == process)
				*end = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
			continue;
		}
		int signal = WSTOPSIG(status);
		if (signal == (SIGTRAP | 0x80)) {
			if ((n_moments > 0 || makes_directory(thread)) && ++n_moments == last)
				kill(process, SIGKILL);
			signal = 0;
		} else if (signal == SIGTRAP || signal == SIGSTOP) {
			signal = 0; /* exec, or a new thread */
		}
		ptrace(PTRACE_SYSCALL, thread, 0, signal); /* fails where it was killed meanwhile */
	}
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	pid_t process = follow_start(argv + 2, OPTIONS);
	if (process < 0)
		return 1;
	int end = 0;
	long n_moments = follow(process, strtol(argv[1], NULL, 10), &end);
	printf("%ld %d %d\n", n_moments, (int)process, end);
	return 0;
}
