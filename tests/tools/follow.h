/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts a program whose threads are followed from system call to system call.
 */
#ifndef OTTER_TESTS_FOLLOW_H
#define OTTER_TESTS_FOLLOW_H

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs argv[0] as a child that stops at its first system call; `options`: as PTRACE_SETOPTIONS has them. -1: it could not be followed. */
static pid_t follow_start(char **argv, long options)
{
	pid_t process = fork();
	if (process == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
			_exit(126);
		raise(SIGSTOP);
		execv(argv[0], argv);
		_exit(127);
	}
	int status;
	if (process < 0 || waitpid(process, &status, 0) != process || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, process, 0, options) != 0 || ptrace(PTRACE_SYSCALL, process, 0, 0) != 0)
		return -1;
	return process;
}

#endif
